#include "metrics/bias/additive_clicks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/sigmoid.h"
#include "metrics/bias/pair_sums.h"

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
  Slope& operator+=(const Slope& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
  /// Returns a Newton step of at most 2, because longer ones would overshoot far from the maximum.
  double step() const { return second > 0 ? std::clamp(first / second, -2., 2.) : 0; }
};

class AdditiveFit {
 public:
  AdditiveFit(const PairPositionCounts& counts, int threads) : counts_(counts), threads_(threads) {
    fit_.rank_logits.assign(counts.positions(), 0);
    fit_.pair_logits.assign(counts.rows(), std::numeric_limits<double>::quiet_NaN());
    impressions_.assign(counts.positions(), 0);
    for (const Cell& cell : counts.cells()) impressions_[cell.position] += cell.impressions;
    for (std::size_t row = 0; row < counts_.rows(); ++row) {
      double impressions = 0, clicks = 0;
      for (const Cell& cell : counts_.row(row)) {
        impressions += cell.impressions;
        clicks += cell.clicks;
      }
      if (impressions > 0)
        fit_.pair_logits[row] = std::log(clicks) - std::log(impressions - clicks);
    }
  }

  AdditiveClicks run() && {
    for (int sweep = 0; sweep < 200 && !fit_.settled; ++sweep) fit_ranks(fit_pairs());
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
  /// Fits the γ of all pairs. Returns the slope in the θ of each rank after that.
  std::vector<Slope> fit_pairs() {
    return sum_over_pairs<Slope>(counts_, threads_, [&](std::size_t row, auto& by_rank) {
      const std::span<const Cell> pair = counts_.row(row);
      double& logit = fit_.pair_logits[row];
      for (int i = 0; i < 20 && std::isfinite(logit); ++i) {
        Slope slope;
        for (const Cell& cell : pair) slope.add(cell, click(logit, cell));
        logit += slope.step();
        if (std::abs(slope.step()) < 1e-9) break;
      }
      for (const Cell& cell : pair) by_rank[cell.position].add(cell, click(logit, cell));
    });
  }
  double click(double pair_logit, const Cell& cell) const {
    return sigmoid(pair_logit + fit_.rank_logits[cell.position]);
  }

  /// Takes a Newton step for each rank. The slope at a rank is its summed residual, which decides
  /// whether the fit has settled.
  void fit_ranks(const std::vector<Slope>& slopes) {
    fit_.settled = true;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      fit_.rank_logits[k] += slopes[k].step();
      fit_.settled = fit_.settled && std::abs(slopes[k].first) <= 1e-5 * impressions_[k];
    }
  }

  const PairPositionCounts& counts_;
  int threads_;
  std::vector<double> impressions_;  // by rank
  AdditiveClicks fit_;
};

}  // namespace

double AdditiveClicks::click(std::uint32_t row, std::size_t position) const {
  return sigmoid(pair_logits[row] + rank_logits[position]);
}

AdditiveClicks fit_additive_clicks(const PairPositionCounts& counts, int threads) {
  return AdditiveFit(counts, threads).run();
}

}  // namespace ultr
