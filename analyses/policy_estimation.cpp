#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/core.h>

#include "analyses/analyses.h"
#include "analyses/document_sample.h"
#include "analyses/order_rankers.h"
#include "analyses/policy_strength.h"
#include "base/random.h"
#include "metrics/significance.h"
#include "options/config_tree.h"
#include "runs/data_task.h"
#include "training/ranking_evaluation.h"

namespace ultr {
namespace {

/// Returns lists without documents for relevance features of a table.
OrderedLists lists_over(const FeatureTable& table) {
  return {.feature_count = static_cast<std::size_t>(table.relevance_count()),
          .may_miss = table.may_miss()};
}

/// Adds the relevance features of a document.
void add_document(std::span<const float> features, OrderedLists& lists) {
  const auto its = features.first(lists.feature_count);
  lists.features.insert(lists.features.end(), its.begin(), its.end());
}

/// Returns the documents of those sessions that show at least two.
OrderedLists shown_lists(const Dataset& dataset, const SessionLog& log,
                         std::span<const std::uint32_t> sessions) {
  OrderedLists lists = lists_over(log.features().empty() ? dataset.features : log.features());
  for (const std::uint32_t s : sessions) {
    const std::size_t length = log.length(s);
    if (length < 2) continue;
    for (std::size_t k = 0; k < length; ++k)
      add_document(document_features(dataset, log, s, k), lists);
    lists.lengths.push_back(static_cast<std::uint32_t>(length));
  }
  return lists;
}

/// Returns the documents of the judged lists that have any.
OrderedLists judged_lists(const Dataset& dataset) {
  OrderedLists lists = lists_over(dataset.features);
  for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
    const std::span<const std::uint32_t> rows = dataset.labels.rows(i);
    for (const std::uint32_t row : rows) add_document(dataset.features.row(row), lists);
    if (!rows.empty()) lists.lengths.push_back(static_cast<std::uint32_t>(rows.size()));
  }
  return lists;
}

/// Draws the numbers of up to `most` sessions, in increasing order.
std::vector<std::uint32_t> drawn_sessions(std::size_t sessions, std::size_t most,
                                          std::uint64_t seed) {
  std::vector<std::uint32_t> drawn(sessions);
  std::iota(drawn.begin(), drawn.end(), std::uint32_t{0});
  RandomStream random(seed, RandomPurpose::resampling, 1, 0);
  const std::size_t count = std::min(sessions, most);
  for (std::size_t i = 0; i < count; ++i)
    std::swap(drawn[i], drawn[i + static_cast<std::size_t>(random.below(sessions - i))]);
  drawn.resize(count);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

nlohmann::ordered_json mean_and_interval(std::span<const double> values, std::uint64_t seed) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
  const ConfidenceInterval interval = mean_interval(values, seed);
  return {{"mean", mean}, {"lower", interval.lower}, {"upper", interval.upper}};
}

/// Measures how well a ranker reproduces, from features, the order in which a log shows documents,
/// and how well the learned order ranks judged lists (de Haan and Hager, CONSEQUENCES 2024, table 1
/// and appendix A).
///
/// The ranker learns from up to `lists` training sessions, drawn by the seed, without bias
/// features. It then orders the test sessions, or the validation sessions if there are none.
///
///     accuracy    nDCG@10 of its order of these sessions, where the document at the k-th place has
///                 the gain 1/k; 1: the logged order
///     strength    nDCG@10, by labels, of its order of the judged test lists, if there are any
///
/// Each has `mean`, `lower` and `upper`, a 95% bootstrap interval over lists. `random` beside it is
/// the same of random orders: the average over all orders for `accuracy`, one order by the seed for
/// `strength`.
class PolicyEstimation final : public DataTask {
 public:
  PolicyEstimation(const std::vector<OptionType>& data, const std::vector<OptionType>& layers)
      : DataTask(data, "feature_lists", Sessions::all),
        rankers_(order_ranker_types(layers)),
        ranker_(rankers_, "lambdamart") {}

  void settings(Fields& f) override {
    f.integer("lists", lists_, "Maximum number of training sessions to learn from.",
              between(1, 1e9));
    f.choice("ranker", ranker_, "Ranker that learns the logged order.");
  }
  std::vector<ArgumentForm> argument_forms() const override { return {{"lists", "COUNT"}}; }
  void check() const override {
    DataTask::check();
    ranker_.as<OrderRankerOptions>().check();
  }

  TaskResults run(const TaskContext& context) override {
    const Dataset dataset = load(context).dataset;
    const std::uint64_t seed = context.seed;
    const SessionLog& held_out = dataset.test.sessions() > 0 ? dataset.test : dataset.valid;
    if (held_out.sessions() == 0)
      throw ConfigError(
          "analysis.data holds no session out; expected test or validation sessions whose order is "
          "to be reproduced");
    if (dataset.features.empty() && dataset.train.features().empty())
      throw DataError("the sessions have no features; expected some to learn their order from");
    const OrderedLists train = shown_lists(
        dataset, dataset.train,
        drawn_sessions(dataset.train.sessions(), static_cast<std::size_t>(lists_), seed));
    if (train.lengths.empty())
      throw DataError("no session shows two documents; expected some to learn their order from");
    const OrderScores policy = ranker_.as<OrderRankerOptions>().learn(train, seed, context.threads);
    nlohmann::ordered_json json = {{"training_sessions", train.lengths.size()},
                                   {"features", train.feature_count}};
    json["accuracy"] = accuracy(policy, dataset, held_out, seed);
    if (dataset.labels.size() > 0 && !dataset.features.empty())
      json["strength"] = strength(policy, dataset, seed);
    return {.json = std::move(json)};
  }

 private:
  static nlohmann::ordered_json accuracy(const OrderScores& policy, const Dataset& dataset,
                                         const SessionLog& held_out, std::uint64_t seed) {
    const OrderedLists lists = shown_lists(
        dataset, held_out, drawn_sessions(held_out.sessions(), held_out.sessions(), seed));
    if (lists.lengths.empty())
      throw DataError("no session held out shows two documents; expected some to reproduce");
    const std::vector<double> scores = policy(lists);
    std::vector<double> learned, random;
    std::size_t first = 0;
    for (const std::uint32_t length : lists.lengths) {
      learned.push_back(logged_order_ndcg(std::span(scores).subspan(first, length)));
      random.push_back(random_order_ndcg(length));
      first += length;
    }
    nlohmann::ordered_json json = mean_and_interval(learned, seed);
    json["sessions"] = lists.lengths.size();
    json["random"] = mean_and_interval(random, seed);
    return json;
  }

  static nlohmann::ordered_json strength(const OrderScores& policy, const Dataset& dataset,
                                         std::uint64_t seed) {
    const RankingOptions at_ten = {.cutoffs = {10}};
    std::vector<double> random;
    for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
      RandomStream draws(seed, RandomPurpose::resampling, 2, i);
      for (std::size_t k = 0; k < dataset.labels.rows(i).size(); ++k)
        random.push_back(draws.uniform());
    }
    const auto ndcg = [&](std::span<const double> by) {
      return evaluate_scores(by, dataset.labels, at_ten).per_list("ndcg@10");
    };
    nlohmann::ordered_json json = mean_and_interval(ndcg(policy(judged_lists(dataset))), seed);
    json["lists"] = dataset.labels.size();
    json["random"] = mean_and_interval(ndcg(random), seed);
    return json;
  }

  std::int64_t lists_ = 100000;
  std::vector<OptionType> rankers_;
  Choice ranker_;
};

}  // namespace

OptionType policy_estimation_type(const std::vector<OptionType>& data,
                                  const std::vector<OptionType>& layers) {
  return {"policy_estimation", "Measures how well a ranker reproduces the logged order.",
          [&]() -> std::unique_ptr<Options> {
            return std::make_unique<PolicyEstimation>(data, layers);
          }};
}

}  // namespace ultr
