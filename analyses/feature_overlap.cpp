#include "analyses/feature_overlap.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "data/log/parallel_shards.h"
#include "metrics/two_sample_auc.h"

namespace ultr {
namespace {

constexpr double unknown_area = std::numeric_limits<double>::quiet_NaN();

using Step = CombinationOverlap::Step;

/// Returns the documents of the sample by a number of each, place(session, index). Those whose
/// number is not below `count` are left out.
template <class Place>
std::vector<FeatureSample> documents_by(const Dataset& dataset, const DocumentSample& sample,
                                        std::size_t count, Place place) {
  std::vector<FeatureSample> by_place(count);
  std::size_t document = 0;
  for (const std::uint32_t s : sample.sessions)
    for (std::size_t i = 0; i < dataset.train.length(s); ++i) {
      const auto row = sample.row(document++);
      const std::size_t number = place(s, i);
      if (number >= count) continue;
      FeatureSample& documents = by_place[number];
      documents.features.insert(documents.features.end(), row.begin(), row.end());
      documents.groups.push_back(dataset.train[s].query);
    }
  return by_place;
}

/// Computes the areas of steps between so many samples.
void measure(std::vector<Step>& steps, const std::vector<FeatureSample>& documents,
             std::size_t feature_count, std::uint64_t seed, int threads) {
  for_each_worker(threads, [&](std::size_t worker) {
    for (std::size_t i = worker; i < steps.size(); i += static_cast<std::size_t>(threads))
      steps[i].area =
          two_sample_auc(documents[steps[i].a], documents[steps[i].b], feature_count, seed)
              .value_or(unknown_area);
  });
}

/// Computes FeatureOverlap::hardest_step of so many ranks or combinations by relaxation until
/// nothing changes.
std::vector<double> hardest_steps(const std::vector<Step>& steps, std::size_t count) {
  std::vector<double> hardest(count, unknown_area);
  hardest.front() = 0.5;
  const auto walk = [&](std::size_t from, std::size_t to, double area) {
    const double way = std::max(hardest[from], area);
    if (std::isnan(hardest[from]) || std::isnan(area) || hardest[to] <= way) return false;
    hardest[to] = way;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Step& step : steps) {
      changed |= walk(step.a, step.b, step.area);
      changed |= walk(step.b, step.a, step.area);
    }
  }
  return hardest;
}

/// Returns CombinationOverlap::steps, which are not measured yet.
std::vector<Step> steps_between(const BiasCombinations& combinations) {
  using Dimensions = std::vector<std::size_t>;
  std::map<Dimensions, std::size_t> number_of;
  std::vector<Step> steps;
  for (std::size_t c = 0; c < combinations.all.size(); ++c) {
    Dimensions its = combinations.all[c].groups;
    its.insert(its.begin(), combinations.all[c].rank);
    const std::size_t steps_before = steps.size();
    for (std::size_t& value : its) {
      const std::size_t own = value;
      while (value > 0) {
        --value;
        const auto found = number_of.find(its);
        if (found == number_of.end()) continue;
        steps.push_back({.a = found->second, .b = c});
        break;
      }
      value = own;
    }
    if (c > 0 && steps.size() == steps_before) steps.push_back({.a = c - 1, .b = c});
    number_of.emplace(std::move(its), c);
  }
  return steps;
}

}  // namespace

FeatureOverlap feature_overlap(const Dataset& dataset, const DocumentSample& sample,
                               const std::vector<std::size_t>& ranks, std::uint64_t seed,
                               int threads) {
  const std::size_t count = ranks.size();
  const std::vector<FeatureSample> documents =
      documents_by(dataset, sample, count, [&](std::size_t session, std::size_t i) {
        const auto rank = std::ranges::find(ranks, dataset.train[session].positions[i]);
        return static_cast<std::size_t>(rank - ranks.begin());
      });
  std::vector<Step> steps;
  for (std::size_t k = 1; k < count; ++k) {
    steps.push_back({.a = k - 1, .b = k});
    if (k > 1) steps.push_back({.a = 0, .b = k});
  }
  measure(steps, documents, sample.feature_count, seed, threads);
  FeatureOverlap overlap{.ranks = ranks,
                         .from_rank_before = std::vector(count, unknown_area),
                         .from_first = std::vector(count, unknown_area),
                         .hardest_step = hardest_steps(steps, count)};
  for (const Step& step : steps) {
    if (step.a == 0) overlap.from_first[step.b] = step.area;
    if (step.a + 1 == step.b) overlap.from_rank_before[step.b] = step.area;
  }
  return overlap;
}

CombinationOverlap combination_overlap(const Dataset& dataset, const DocumentSample& sample,
                                       const BiasCombinations& combinations, std::uint64_t seed,
                                       int threads) {
  const std::vector<FeatureSample> documents = documents_by(
      dataset, sample, combinations.all.size(), [&](std::size_t session, std::size_t i) {
        return combinations.places.of_documents[dataset.train.first_document(session) + i];
      });
  CombinationOverlap overlap{.steps = steps_between(combinations), .hardest_step = {}};
  measure(overlap.steps, documents, sample.feature_count, seed, threads);
  overlap.hardest_step = hardest_steps(overlap.steps, combinations.all.size());
  return overlap;
}

}  // namespace ultr
