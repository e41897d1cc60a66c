#include "analyses/order_rankers.h"

#include <numeric>

#include "analyses/policy_strength.h"
#include "data/features/lambdamart.h"
#include "losses/logged_order.h"
#include "sources/feature_tower.h"
#include "training/predictor.h"

namespace ultr {
namespace {

class LambdaMartOrder final : public OrderRankerOptions {
 public:
  LambdaMartOrder() {
    trees_.trees = 500;  // what de Haan and Hager (2024) found best
    trees_.leaves = 10;
    trees_.learning_rate = 0.01;
  }
  void fields(Fields& f) override { trees_.fields(f); }

  OrderScores learn(const OrderedLists& lists, std::uint64_t seed, int) const override {
    std::vector<std::int32_t> labels;
    for (const std::uint32_t length : lists.lengths)
      for (std::size_t place = 0; place < length; ++place) labels.push_back(label_of_place(place));
    const LambdaMart trees({.features = lists.features,
                            .feature_count = lists.feature_count,
                            .list_sizes = lists.lengths,
                            .labels = labels},
                           trees_, seed);
    return [trees](const OrderedLists& others) { return trees.score(others.features); };
  }

 private:
  LambdaMartOptions trees_;
};

/// Returns the lists as sessions without clicks, whose documents bring their features.
SessionLog unclicked_sessions(const OrderedLists& lists) {
  SessionLog log;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint16_t> positions;
  for (const std::uint32_t length : lists.lengths) {
    rows.resize(length, PairDictionary::unknown);
    positions.resize(length);
    std::iota(positions.begin(), positions.end(), std::uint16_t{0});
    log.add({.rows = rows, .positions = positions, .clicks = std::vector<std::uint8_t>(length)});
  }
  std::vector<float> features(lists.feature_count);  // row 0
  features.insert(features.end(), lists.features.begin(), lists.features.end());
  log.set_features(
      {std::move(features), static_cast<std::int64_t>(lists.feature_count), 0, lists.may_miss});
  return log;
}

class NetworkOrder final : public OrderRankerOptions {
 public:
  explicit NetworkOrder(const std::vector<OptionType>& layers)
      : tower_(model_type<LoggedOrderLoss>("network", "Attention rank loss."), layers) {}
  void fields(Fields& f) override { tower_.fields(f); }
  void check() const override { tower_.check(); }

  OrderScores learn(const OrderedLists& lists, std::uint64_t seed, int threads) const override {
    auto model = std::make_shared<const TrainableModel>(
        tower_.train(unclicked_sessions(lists), seed, threads));
    return [model, threads](const OrderedLists& others) {
      return Predictor(*model, threads).relevance(unclicked_sessions(others));
    };
  }

 private:
  FeatureTowerOptions tower_;
};

}  // namespace

std::vector<OptionType> order_ranker_types(const std::vector<OptionType>& layers) {
  return {
      option_type<LambdaMartOrder>("lambdamart",
                                   "LambdaMART on the labels 10, 9, ..., 1 of the first places."),
      {"network",
       "A tower over the features, trained by the attention rank loss with the target 1/k for "
       "the k-th place.",
       [&layers]() -> std::unique_ptr<Options> { return std::make_unique<NetworkOrder>(layers); }},
  };
}

}  // namespace ultr
