#include "analyses/policy_strength.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "data/features/lambdamart.h"
#include "data/log/parallel_shards.h"
#include "metrics/group_folds.h"

namespace ultr {
namespace {

constexpr std::size_t ndcg_cutoff = 10;

double discount_at(std::size_t place) { return 1 / std::log2(static_cast<double>(place + 2)); }
double gain_at(std::size_t place) { return 1 / static_cast<double>(place + 1); }

double best_dcg(std::size_t length) {
  double sum = 0;
  for (std::size_t place = 0; place < std::min(length, ndcg_cutoff); ++place)
    sum += gain_at(place) * discount_at(place);
  return sum;
}

struct SampledList {
  std::uint64_t query;
  std::size_t first, documents;  // in the sample
};

std::vector<SampledList> lists_of(const Dataset& dataset, const DocumentSample& sample) {
  std::vector<SampledList> lists;
  std::size_t first = 0;
  for (const std::uint32_t s : sample.sessions) {
    const std::size_t length = dataset.train.length(s);
    if (length > 1)
      lists.push_back({.query = dataset.train[s].query, .first = first, .documents = length});
    first += length;
  }
  return lists;
}

/// Trains a policy on the lists of all other folds, at least one.
LambdaMart policy_without(std::uint64_t fold, const DocumentSample& sample,
                          const std::vector<SampledList>& lists, std::uint64_t seed) {
  std::vector<float> features;
  std::vector<std::uint32_t> sizes;
  std::vector<std::int32_t> labels;
  for (const SampledList& list : lists) {
    if (fold_of(list.query, seed) == fold) continue;
    sizes.push_back(static_cast<std::uint32_t>(list.documents));
    const auto rows =
        std::span(sample.features)
            .subspan(list.first * sample.feature_count, list.documents * sample.feature_count);
    features.insert(features.end(), rows.begin(), rows.end());
    for (std::size_t place = 0; place < list.documents; ++place)
      labels.push_back(label_of_place(place));
  }
  LambdaMartOptions options;
  options.leaves = 10;
  return LambdaMart({.features = features,
                     .feature_count = sample.feature_count,
                     .list_sizes = sizes,
                     .labels = labels},
                    options, seed);
}

void standardise(std::span<double> scores) {
  const auto count = static_cast<double>(scores.size());
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.) / count;
  double squares = 0;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  for (double& score : scores)
    score = squares > 0 ? (score - mean) / std::sqrt(squares / count) : 0;
}

}  // namespace

std::int32_t label_of_place(std::size_t place) {
  return place < ndcg_cutoff ? static_cast<std::int32_t>(ndcg_cutoff - place) : 0;
}

double logged_order_ndcg(std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  double dcg = 0;
  for (std::size_t place = 0; place < std::min(order.size(), ndcg_cutoff); ++place)
    dcg += gain_at(order[place]) * discount_at(place);
  return dcg / best_dcg(scores.size());
}

double random_order_ndcg(std::size_t length) {
  double gains = 0, discounts = 0;
  for (std::size_t place = 0; place < length; ++place) {
    gains += gain_at(place);
    if (place < ndcg_cutoff) discounts += discount_at(place);
  }
  return gains / static_cast<double>(length) * discounts / best_dcg(length);
}

std::optional<PolicyStrength> policy_strength(const Dataset& dataset, const DocumentSample& sample,
                                              std::uint64_t seed, int threads) {
  const std::vector<SampledList> lists = lists_of(dataset, sample);
  const auto in_one_fold = [&](const SampledList& list) {
    return fold_of(list.query, seed) == fold_of(lists.front().query, seed);
  };
  if (std::all_of(lists.begin(), lists.end(), in_one_fold)) return std::nullopt;

  PolicyStrength strength{.lists = lists.size()};
  if (sample.feature_count > 0)
    strength.scores.assign(sample.features.size() / sample.feature_count,
                           std::numeric_limits<double>::quiet_NaN());
  std::vector<double> ndcg(lists.size());
  for_each_worker(threads, [&](std::size_t worker) {
    for (std::uint64_t fold = worker; fold < folds; fold += static_cast<std::uint64_t>(threads)) {
      const LambdaMart policy = policy_without(fold, sample, lists, seed);
      for (std::size_t l = 0; l < lists.size(); ++l) {
        const SampledList& list = lists[l];
        if (fold_of(list.query, seed) != fold) continue;
        const std::vector<double> scores = policy.score(
            std::span(sample.features)
                .subspan(list.first * sample.feature_count, list.documents * sample.feature_count));
        ndcg[l] = logged_order_ndcg(scores);
        const auto into = std::span(strength.scores).subspan(list.first, list.documents);
        std::copy(scores.begin(), scores.end(), into.begin());
        standardise(into);
      }
    }
  });

  struct Sum {
    double ndcg = 0, random = 0, lists = 0;
  };
  std::map<std::uint64_t, Sum> queries;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    Sum& sum = queries[lists[l].query];
    sum.ndcg += ndcg[l];
    sum.random += random_order_ndcg(lists[l].documents);
    ++sum.lists;
  }
  std::vector<double> means;
  for (const auto& [query, sum] : queries) {
    means.push_back(sum.ndcg / sum.lists);
    strength.random_ndcg += sum.random / sum.lists / static_cast<double>(queries.size());
  }
  strength.queries = queries.size();
  strength.ndcg =
      std::accumulate(means.begin(), means.end(), 0.) / static_cast<double>(means.size());
  strength.interval = bootstrap_interval(means, {.resamples = 1000, .seed = seed});
  return strength;
}

}  // namespace ultr
