#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "data/log/judged_lists.h"
#include "metrics/ranking_metrics.h"

namespace ultr {

/// Mean nDCG@10 of rankings on judged lists that are binned by how well a logging policy ranks them
/// (de Haan and Hager, CONSEQUENCES 2024, figure 1). The first bin has the lists with the policy's
/// lowest nDCG@10; sizes differ by one list at most.
struct PolicyBins {
  std::vector<std::size_t> lists{};  // number in each bin
  std::vector<double> policy{}, model{}, random{};
};

/// Number of bins, if there are as many lists.
inline constexpr std::size_t policy_bins = 5;

/// Bins judged lists by the policy's scores and ranks them by those of a model: one score each per
/// document, list after list. `random` is the mean over all orders. Lists count as the options say,
/// whatever their cut-offs. Returns no bins if no list counts.
PolicyBins bin_by_policy(std::span<const double> model, std::span<const double> policy,
                         const JudgedLists& lists, const RankingOptions& options);

}  // namespace ultr
