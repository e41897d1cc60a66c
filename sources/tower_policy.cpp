#include "sources/tower_policy.h"

#include <memory>
#include <numeric>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/segments.h"
#include "base/error.h"
#include "dsl/model_options.h"
#include "losses/ranking_loss.h"
#include "optim/adam.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "training/fitters.h"
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

/// Tokens that a tower knows when its options are checked: enough to have those of special meaning.
constexpr std::int64_t most_known_tokens = 1 << 15;

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
  FeatureTable features(std::move(values), static_cast<std::int64_t>(lists.features()));
  if (lists.has_words())
    features.set_tokens({lists.columns().words, vocabulary_of(lists.columns().words)});
  log.set_features(std::move(features));
  return log;
}

class TowerPolicy final : public LearnedPolicyOptions {
 public:
  explicit TowerPolicy(const std::vector<OptionType>& layers)
      : model_(model_type<SquaredErrorLoss>("tower", "Squared error."), no_models_, layers) {
    read_options(
        parse_config("relevance: {type: mlp, widths: [32, 32], activation: elu}", "default"),
        model_);
    adam_.weight_decay = 0.01;
    train_.epochs = 20;
    train_.batch_size = 32;
  }

  void fields(Fields& f) override {
    LearnedPolicyOptions::fields(f);
    model_.fields(f);
    f.number("learning_rate", adam_.learning_rate, "Learning rate of AdamW.", above(0));
    f.number("weight_decay", adam_.weight_decay, "Weight decay of AdamW.", at_least(0));
    f.integer("epochs", train_.epochs, "Passes over the training lists.", between(1, 1e6));
    f.integer("batch_size", train_.batch_size, "Training lists per step.", between(1, 1e9));
  }

  void check() const override {  // what does not fit shows when a tower is built
    FeatureTable features(std::vector<float>(1), 1);
    features.set_tokens({{}, most_known_tokens});
    const TrainableModel model = model_.build({.features = std::move(features)});
    if (Predictor(model, 1).reads_dictionary())
      throw ConfigError(
          "relevance: has a number for each document; expected a layer over features or words, "
          "since a policy orders documents that it has not seen");
  }

 private:
  PolicyScores learn(const PolicyTraining& training) const override {
    const FeatureLists& lists = training.lists;
    const SessionLog log = log_of(lists, training.relevance);
    FeatureTable features(std::vector<float>(lists.features()),
                          static_cast<std::int64_t>(lists.features()), 0, lists.columns().missing);
    features.set_tokens({{}, log.features().tokens().vocabulary()});
    auto model = std::make_shared<const TrainableModel>(
        model_.build({.seed = training.seed, .features = std::move(features), .train = &log}));
    const auto fitter = make_fitter(adam_, {.model = *model,
                                            .train = log,
                                            .options = train_,
                                            .seed = training.seed,
                                            .threads = training.threads});
    for (std::int64_t epoch = 1; epoch <= train_.epochs; ++epoch)
      fitter->pass(epoch, [](std::size_t) {});
    return [model, threads = training.threads](const FeatureLists& others,
                                               std::span<const double> relevance) {
      return Predictor(*model, threads).relevance(log_of(others, relevance));
    };
  }

  std::vector<OptionType> no_models_;  // the tower is not made of other models
  ModelOptions model_;
  AdamWOptions adam_;
  TrainOptions train_;
};

}  // namespace

OptionType tower_policy(const std::vector<OptionType>& layers) {
  return {
      "tower", "Orders by the scores of a tower over the features, trained on all training lists.",
      [&layers]() -> std::unique_ptr<Options> { return std::make_unique<TowerPolicy>(layers); }};
}

}  // namespace ultr
