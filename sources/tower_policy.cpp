#include "sources/tower_policy.h"

#include <memory>
#include <numeric>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/segments.h"
#include "losses/ranking_loss.h"
#include "sources/feature_tower.h"
#include "training/predictor.h"

namespace ultr {
namespace {

/// Squared error, summed over each list: Σ (r - y)².
class SquaredErrorLoss final : public RankingLoss {
 public:
  explicit SquaredErrorLoss(ModelBuilder& build) : RankingLoss(build) {}
  Tensor loss(const Lists& lists) const override {
    return segment_sum(square(scores(lists) - lists.targets()), lists.segments());
  }
  Targets targets() const override { return Targets::grades; }
};

/// Returns all documents of some lists, with rows 1, 2, ..., as a log to learn from.
SessionLog log_of(const FeatureLists& lists, std::span<const double> relevance) {
  SessionLog log;
  std::uint32_t row = 0;
  for (std::size_t l = 0; l < lists.lists(); ++l) {
    const std::size_t length = lists.length(l);
    std::vector<std::uint32_t> rows(length);
    std::iota(rows.begin(), rows.end(), row + 1);
    std::vector<std::uint16_t> positions(length);
    std::iota(positions.begin(), positions.end(), std::uint16_t{0});
    std::vector<float> targets;
    for (std::size_t k = 0; k < length; ++k)
      targets.push_back(static_cast<float>(relevance[row + k]));
    log.add({.rows = rows,
             .positions = positions,
             .clicks = std::vector<std::uint8_t>(length),
             .query = 0,
             .propensities = {},
             .targets = targets});
    row += static_cast<std::uint32_t>(length);
  }
  std::vector<float> values(lists.features());  // row 0
  const auto its = lists.columns().features.values();
  values.insert(values.end(), its.begin(), its.end());
  FeatureTable features(std::move(values), static_cast<std::int64_t>(lists.features()), 0,
                        lists.columns().missing);
  if (lists.has_words())
    features.set_tokens({lists.columns().words, vocabulary_of(lists.columns().words)});
  log.set_features(std::move(features));
  return log;
}

class TowerPolicy final : public LearnedPolicyOptions {
 public:
  explicit TowerPolicy(const std::vector<OptionType>& layers)
      : tower_(model_type<SquaredErrorLoss>("tower", "Squared error."), layers) {}

  void fields(Fields& f) override {
    LearnedPolicyOptions::fields(f);
    tower_.fields(f);
  }
  void check() const override { tower_.check(); }

 private:
  PolicyScores learn(const PolicyTraining& training) const override {
    auto model = std::make_shared<const TrainableModel>(
        tower_.train(log_of(training.lists, training.relevance), training.seed, training.threads));
    return [model, threads = training.threads](const FeatureLists& others,
                                               std::span<const double> relevance) {
      return Predictor(*model, threads).relevance(log_of(others, relevance));
    };
  }

  FeatureTowerOptions tower_;
};

}  // namespace

OptionType tower_policy(const std::vector<OptionType>& layers) {
  return {
      "tower", "Orders by the scores of a tower over the features, trained on all training lists.",
      [&layers]() -> std::unique_ptr<Options> { return std::make_unique<TowerPolicy>(layers); }};
}

}  // namespace ultr
