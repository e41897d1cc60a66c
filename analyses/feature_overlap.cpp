#include "analyses/feature_overlap.h"

#include <algorithm>
#include <cmath>

#include "data/log/parallel_shards.h"
#include "metrics/two_sample_auc.h"

namespace ultr {
namespace {

constexpr double unknown_area = std::numeric_limits<double>::quiet_NaN();

/// Returns the documents at each of the ranks.
std::vector<FeatureSample> documents_at(const Dataset& dataset, const DocumentSample& sample,
                                        const std::vector<std::size_t>& ranks) {
  std::vector<FeatureSample> at(ranks.size());
  std::size_t document = 0;
  for (const std::uint32_t s : sample.sessions) {
    const SessionView session = dataset.train[s];
    for (const std::uint16_t position : session.positions) {
      const auto rank = std::lower_bound(ranks.begin(), ranks.end(), position);
      const auto row = sample.row(document++);
      if (rank == ranks.end() || *rank != position) continue;
      FeatureSample& documents = at[static_cast<std::size_t>(rank - ranks.begin())];
      documents.features.insert(documents.features.end(), row.begin(), row.end());
      documents.groups.push_back(session.query);
    }
  }
  return at;
}

/// Computes FeatureOverlap::hardest_step by relaxation until nothing changes.
std::vector<double> hardest_steps(const FeatureOverlap& overlap) {
  const std::size_t count = overlap.ranks.size();
  std::vector<double> hardest(count, unknown_area);
  hardest.front() = 0.5;
  const auto step = [&](std::size_t from, std::size_t to, double area) {
    const double way = std::max(hardest[from], area);
    if (std::isnan(hardest[from]) || std::isnan(area) || hardest[to] <= way) return false;
    hardest[to] = way;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 1; k < count; ++k) {
      changed |= step(0, k, overlap.from_first[k]);
      changed |= step(k - 1, k, overlap.from_rank_before[k]);
      changed |= step(k, k - 1, overlap.from_rank_before[k]);
    }
  }
  return hardest;
}

}  // namespace

FeatureOverlap feature_overlap(const Dataset& dataset, const DocumentSample& sample,
                               const std::vector<std::size_t>& ranks, std::uint64_t seed,
                               int threads) {
  const std::size_t count = ranks.size();
  FeatureOverlap overlap{.ranks = ranks,
                         .from_rank_before = std::vector(count, unknown_area),
                         .from_first = std::vector(count, unknown_area),
                         .hardest_step = {}};
  const std::vector<FeatureSample> documents = documents_at(dataset, sample, ranks);
  const auto area = [&](std::size_t a, std::size_t b) {
    return two_sample_auc(documents[a], documents[b], sample.feature_count, seed)
        .value_or(unknown_area);
  };
  for_each_worker(threads, [&](std::size_t worker) {
    for (std::size_t k = 1 + worker; k < count; k += static_cast<std::size_t>(threads)) {
      overlap.from_rank_before[k] = area(k - 1, k);
      overlap.from_first[k] = k == 1 ? overlap.from_rank_before[k] : area(0, k);
    }
  });
  overlap.hardest_step = hardest_steps(overlap);
  return overlap;
}

}  // namespace ultr
