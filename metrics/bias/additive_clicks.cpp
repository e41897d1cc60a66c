#include "metrics/bias/additive_clicks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/sigmoid.h"
#include "data/log/pair_position_counts.h"

namespace ultr {
namespace {

using Cell = PairPositionCounts::Cell;

/// The slope of the log-likelihood in a logit, and its negated curvature.
struct Slope {
  double first = 0, second = 0;

  void add(const Cell& cell, double p) {
    first += cell.clicks - cell.impressions * p;
    second += cell.impressions * p * (1 - p);
  }
  /// Returns a Newton step of at most 2, because longer ones would overshoot far from the maximum.
  double step() const { return second > 0 ? std::clamp(first / second, -2., 2.) : 0; }
};

class AdditiveFit {
 public:
  explicit AdditiveFit(const SessionLog& log) : counts_(log) {
    fit_.rank_logits.assign(log.positions(), 0);
    fit_.pair_logits.assign(counts_.rows(), std::numeric_limits<double>::quiet_NaN());
    impressions_.assign(log.positions(), 0);
    for (const Cell& cell : counts_.cells()) impressions_[cell.position] += cell.impressions;
    for_each_pair([&](std::span<const Cell> pair, double& logit) {
      double impressions = 0, clicks = 0;
      for (const Cell& cell : pair) {
        impressions += cell.impressions;
        clicks += cell.clicks;
      }
      logit = std::log(clicks) - std::log(impressions - clicks);
    });
  }

  AdditiveClicks run() && {
    for (int sweep = 0; sweep < 200 && !fit_.settled; ++sweep) {
      fit_pairs();
      fit_ranks();
    }
    fit_pairs();
    const auto first =
        std::find_if(impressions_.begin(), impressions_.end(), [](double n) { return n > 0; });
    if (first != impressions_.end()) {
      const double shift = fit_.rank_logits[static_cast<std::size_t>(first - impressions_.begin())];
      for (double& logit : fit_.rank_logits) logit -= shift;
      for (double& logit : fit_.pair_logits) logit += shift;
    }
    return std::move(fit_);
  }

 private:
  /// Calls take(cells, logit) for each pair that is shown.
  template <class Take>
  void for_each_pair(Take take) {
    for (std::size_t row = 0; row < counts_.rows(); ++row)
      if (const auto pair = counts_.row(row); !pair.empty()) take(pair, fit_.pair_logits[row]);
  }

  void fit_pairs() {
    for_each_pair([&](std::span<const Cell> pair, double& logit) {
      for (int i = 0; i < 20 && std::isfinite(logit); ++i) {
        Slope slope;
        for (const Cell& cell : pair)
          slope.add(cell, sigmoid(logit + fit_.rank_logits[cell.position]));
        logit += slope.step();
        if (std::abs(slope.step()) < 1e-9) break;
      }
    });
  }

  /// Takes a Newton step for each rank. The slope at a rank is its summed residual, which decides
  /// whether the fit has settled.
  void fit_ranks() {
    std::vector<Slope> slopes(impressions_.size());
    for_each_pair([&](std::span<const Cell> pair, double logit) {
      for (const Cell& cell : pair)
        slopes[cell.position].add(cell, sigmoid(logit + fit_.rank_logits[cell.position]));
    });
    fit_.settled = true;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      fit_.rank_logits[k] += slopes[k].step();
      fit_.settled = fit_.settled && std::abs(slopes[k].first) <= 1e-5 * impressions_[k];
    }
  }

  PairPositionCounts counts_;
  std::vector<double> impressions_;
  AdditiveClicks fit_;
};

}  // namespace

double AdditiveClicks::click(std::uint32_t row, std::size_t position) const {
  return sigmoid(pair_logits[row] + rank_logits[position]);
}

AdditiveClicks fit_additive_clicks(const SessionLog& log) { return AdditiveFit(log).run(); }

}  // namespace ultr
