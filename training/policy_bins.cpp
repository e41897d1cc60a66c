#include "training/policy_bins.h"

#include <algorithm>
#include <numeric>

#include "metrics/random_order.h"
#include "training/ranking_evaluation.h"

namespace ultr {
namespace {

constexpr std::size_t bins_cutoff = 10;

/// Returns nDCG@10 of random orders of one list.
double ndcg_of_chance(const JudgedLists& lists, std::size_t list, const RankingOptions& options) {
  const std::span<const int> labels = lists.labels(list);
  const RankedLabels ranked(std::vector<double>(labels.size()), labels, options.relevant);
  return random_ndcg(ranked, bins_cutoff, options.gain);
}

}  // namespace

PolicyBins bin_by_policy(std::span<const double> model, std::span<const double> policy,
                         const JudgedLists& lists, const RankingOptions& options) {
  RankingOptions at_ten = options;
  at_ten.cutoffs = {bins_cutoff};
  const RankingMetrics of_policy = evaluate_scores(policy, lists, at_ten);
  const std::vector<std::size_t> counted = of_policy.counted_lists("ndcg@10");
  const std::vector<double> by_policy = of_policy.per_list("ndcg@10"),
                            by_model = evaluate_scores(model, lists, at_ten).per_list("ndcg@10");
  std::vector<std::size_t> order(counted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return by_policy[i]; });

  PolicyBins bins;
  const std::size_t count = std::min(policy_bins, order.size());
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t begin = b * order.size() / count, end = (b + 1) * order.size() / count;
    const auto mean = [&](auto value) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += value(order[i]);
      return sum / static_cast<double>(end - begin);
    };
    bins.lists.push_back(end - begin);
    bins.policy.push_back(mean([&](std::size_t i) { return by_policy[i]; }));
    bins.model.push_back(mean([&](std::size_t i) { return by_model[i]; }));
    bins.random.push_back(
        mean([&](std::size_t i) { return ndcg_of_chance(lists, counted[i], options); }));
  }
  return bins;
}

}  // namespace ultr
