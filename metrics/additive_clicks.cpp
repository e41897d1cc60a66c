#include "metrics/additive_clicks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <tbb/parallel_sort.h>

#include "base/sigmoid.h"
#include "data/log/click_of.h"

namespace ultr {
namespace {

/// The impressions and clicks of a pair at a position.
struct Cell {
  std::uint32_t row;
  std::uint16_t position;
  double impressions, clicks;
};

std::vector<Cell> cells_of(const SessionLog& log) {
  std::vector<Cell> cells;
  cells.reserve(log.documents());
  for (std::size_t s = 0; s < log.sessions(); ++s) {
    const SessionView session = log[s];
    for (std::size_t i = 0; i < session.rows.size(); ++i)
      cells.push_back({.row = session.rows[i],
                       .position = session.positions[i],
                       .impressions = 1,
                       .clicks = static_cast<double>(click_of(session, i))});
  }
  tbb::parallel_sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
    return std::tie(a.row, a.position, a.clicks) < std::tie(b.row, b.position, b.clicks);
  });
  std::size_t count = 0;
  for (const Cell& cell : cells) {
    if (count > 0 && cells[count - 1].row == cell.row &&
        cells[count - 1].position == cell.position) {
      cells[count - 1].impressions += cell.impressions;
      cells[count - 1].clicks += cell.clicks;
    } else {
      cells[count++] = cell;
    }
  }
  cells.resize(count);
  return cells;
}

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
  explicit AdditiveFit(const SessionLog& log) : cells_(cells_of(log)) {
    fit_.rank_logits.assign(log.positions(), 0);
    const std::size_t rows = cells_.empty() ? 0 : cells_.back().row + std::size_t{1};
    fit_.pair_logits.assign(rows, std::numeric_limits<double>::quiet_NaN());
    impressions_.assign(log.positions(), 0);
    for (const Cell& cell : cells_) impressions_[cell.position] += cell.impressions;
    for_each_pair([&](std::span<const Cell> pair) {
      double impressions = 0, clicks = 0;
      for (const Cell& cell : pair) {
        impressions += cell.impressions;
        clicks += cell.clicks;
      }
      logit_of(pair) = std::log(clicks) - std::log(impressions - clicks);
    });
  }

  AdditiveClicks run() && {
    for (int sweep = 0; sweep < 200 && !fit_.settled; ++sweep) {
      for_each_pair([&](std::span<const Cell> pair) { fit_pair(pair); });
      fit_ranks();
    }
    for_each_pair([&](std::span<const Cell> pair) { fit_pair(pair); });
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
  template <class Take>
  void for_each_pair(Take take) const {
    for (std::size_t begin = 0, end = 0; begin < cells_.size(); begin = end) {
      while (end < cells_.size() && cells_[end].row == cells_[begin].row) ++end;
      take(std::span(cells_).subspan(begin, end - begin));
    }
  }
  double& logit_of(std::span<const Cell> pair) { return fit_.pair_logits[pair.front().row]; }

  void fit_pair(std::span<const Cell> pair) {
    double& logit = logit_of(pair);
    for (int i = 0; i < 20 && std::isfinite(logit); ++i) {
      Slope slope;
      for (const Cell& cell : pair)
        slope.add(cell, sigmoid(logit + fit_.rank_logits[cell.position]));
      logit += slope.step();
      if (std::abs(slope.step()) < 1e-9) break;
    }
  }

  /// Takes a Newton step for each rank. The slope at a rank is its summed residual, which decides
  /// whether the fit has settled.
  void fit_ranks() {
    std::vector<Slope> slopes(impressions_.size());
    for (const Cell& cell : cells_)
      slopes[cell.position].add(cell, fit_.click(cell.row, cell.position));
    fit_.settled = true;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      fit_.rank_logits[k] += slopes[k].step();
      fit_.settled = fit_.settled && std::abs(slopes[k].first) <= 1e-5 * impressions_[k];
    }
  }

  std::vector<Cell> cells_;  // by row, then by position
  std::vector<double> impressions_;
  AdditiveClicks fit_;
};

}  // namespace

double AdditiveClicks::click(std::uint32_t row, std::size_t position) const {
  return sigmoid(pair_logits[row] + rank_logits[position]);
}

AdditiveClicks fit_additive_clicks(const SessionLog& log) { return AdditiveFit(log).run(); }

}  // namespace ultr
