#include "metrics/bias/regression_em.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/sigmoid.h"
#include "data/log/pair_position_counts.h"
#include "metrics/bias/pair_sums.h"

namespace ultr {
namespace {

/// The position-based model of a log, and its fit by EM.
class PositionBasedFit {
 public:
  PositionBasedFit(const SessionLog& log, int threads) : counts_(log), threads_(threads) {
    shown_.resize(counts_.positions());
    double impressions = 0, clicks = 0;
    for (const auto& cell : counts_.cells()) {
      shown_[cell.position] += cell.impressions;
      impressions += cell.impressions;
      clicks += cell.clicks;
    }
    const double start = share(std::sqrt(clicks / impressions));
    examination_.assign(shown_.size(), start);
    relevance_.assign(counts_.rows(), start);
  }

  /// θ by position.
  const std::vector<double>& examination() const { return examination_; }

  /// Sets each θ and γ to the expected share of examined and of relevant impressions.
  void pass() {
    const auto examined = sum_over_pairs<double>(
        counts_, threads_,
        [&](std::size_t row, std::vector<double>& sums) { update_pair(row, sums); });
    for (std::size_t k = 0; k < shown_.size(); ++k)
      if (shown_[k] > 0) examination_[k] = share(examined[k] / shown_[k]);
  }

 private:
  /// Keeps a probability from 0 and 1, where it would be stuck.
  static double share(double p) {
    static const double least = sigmoid(-largest_coin_logit);
    return std::clamp(p, least, 1 - least);
  }

  /// Updates the γ of a pair, and adds its examined impressions at each position.
  void update_pair(std::size_t row, std::vector<double>& examined) {
    double& gamma = relevance_[row];
    double impressions = 0, relevant = 0;
    for (const auto& cell : counts_.row(row)) {
      const double theta = examination_[cell.position];
      // A skipped document was not examined, not relevant, or neither.
      const double skips_over_p = (cell.impressions - cell.clicks) / (1 - theta * gamma);
      examined[cell.position] += cell.clicks + skips_over_p * theta * (1 - gamma);
      relevant += cell.clicks + skips_over_p * gamma * (1 - theta);
      impressions += cell.impressions;
    }
    if (impressions > 0) gamma = share(relevant / impressions);
  }

  PairPositionCounts counts_;
  int threads_;
  std::vector<double> shown_;        // impressions by position
  std::vector<double> examination_;  // θ by position
  std::vector<double> relevance_;    // γ by row
};

}  // namespace

RegressionEm regression_em(const SessionLog& log, const InterventionSums& sums,
                           const RegressionEmOptions& options,
                           const std::function<void(std::int64_t passes)>& progress) {
  const std::vector<bool> linked = sums.linked_to_first();
  RegressionEm result;
  result.propensities.assign(sums.positions, std::numeric_limits<double>::quiet_NaN());
  if (!sums.any() || sums.clicks[0] == 0) {
    result.settled = true;
    return result;
  }
  PositionBasedFit fit(log, options.threads);
  const auto compared = [&](std::size_t k) { return linked[k] && sums.clicks[k] > 0; };
  while (!result.settled && result.passes < options.most_passes) {
    const std::vector<double> before = fit.examination();
    fit.pass();
    ++result.passes;
    if (progress) progress(result.passes);
    const std::vector<double>& theta = fit.examination();
    double change = 0;
    for (std::size_t k = 1; k < sums.positions; ++k)
      if (compared(k))
        change = std::max(change, std::abs(std::log(theta[k] / theta[0] * before[0] / before[k])));
    result.settled = change <= options.settled_change;
  }
  const std::vector<double>& theta = fit.examination();
  for (std::size_t k = 0; k < sums.positions; ++k)
    if (linked[k]) result.propensities[k] = compared(k) ? theta[k] / theta[0] : 0;
  return result;
}

}  // namespace ultr
