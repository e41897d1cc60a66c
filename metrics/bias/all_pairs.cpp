#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/bias/position_bias.h"

namespace ultr {
namespace {

/// One of the two positions of an intervention set: its mass of clicks c and of skips n, as a
/// function of x = log(p r) < 0.
struct Side {
  std::size_t position;
  double clicks, skips;

  /// c x + n log(1 - e^x)
  double value(double x) const { return clicks * x + skips * std::log(-std::expm1(x)); }
  double slope(double x) const { return clicks - skips / std::expm1(-x); }
  /// Returns the negated second derivative, > 0.
  double curvature(double x) const {
    const double odds = std::expm1(-x);
    return skips * (1 + odds) / (odds * odds);
  }
};

struct Set {
  Side a, b;
};

/// Maximises the sum over sets by Newton's method. Each set's log r is eliminated, so a step solves
/// a system over positions only: the Laplacian of a graph with one edge per set, without the row of
/// the first position, whose log p stays 0.
class Maximiser {
 public:
  Maximiser(std::vector<Set> sets, std::size_t positions)
      : sets_(std::move(sets)), log_p_(positions), log_r_(sets_.size()) {
    for (std::size_t e = 0; e < sets_.size(); ++e) {
      const auto& [a, b] = sets_[e];
      log_r_[e] = std::log((a.clicks + b.clicks) / (a.clicks + a.skips + b.clicks + b.skips));
    }
  }

  /// Returns log p; that of the first position is 0.
  const std::vector<double>& operator()() {
    constexpr int most_steps = 200;
    constexpr double digits = 1e-10;
    for (int step = 0; step < most_steps; ++step)
      if (move(direction()) < digits) break;
    return log_p_;
  }

 private:
  struct Direction {
    std::vector<double> log_p, log_r;
    double slope = 0;  // of the sum along this direction
  };

  Direction direction() const {
    const auto n = static_cast<Eigen::Index>(log_p_.size());
    Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd slopes = Eigen::VectorXd::Zero(n);
    for (std::size_t e = 0; e < sets_.size(); ++e) {
      const auto& [a, b] = sets_[e];
      const double xa = log_p_[a.position] + log_r_[e], xb = log_p_[b.position] + log_r_[e];
      const double ca = a.curvature(xa), cb = b.curvature(xb), weight = ca * cb / (ca + cb);
      const double slope = (a.slope(xa) * cb - b.slope(xb) * ca) / (ca + cb);
      const auto i = static_cast<Eigen::Index>(a.position);
      const auto j = static_cast<Eigen::Index>(b.position);
      laplacian(i, i) += weight;
      laplacian(j, j) += weight;
      laplacian(i, j) -= weight;
      laplacian(j, i) -= weight;
      slopes(i) += slope;
      slopes(j) -= slope;
    }
    Direction d;
    d.log_p.assign(log_p_.size(), 0);
    const Eigen::VectorXd solved =
        laplacian.bottomRightCorner(n - 1, n - 1).ldlt().solve(slopes.tail(n - 1));
    std::copy(solved.begin(), solved.end(), d.log_p.begin() + 1);
    for (std::size_t e = 0; e < sets_.size(); ++e) {
      const auto& [a, b] = sets_[e];
      const double xa = log_p_[a.position] + log_r_[e], xb = log_p_[b.position] + log_r_[e];
      const double ca = a.curvature(xa), cb = b.curvature(xb);
      const double da = d.log_p[a.position], db = d.log_p[b.position];
      const double dr = (a.slope(xa) + b.slope(xb) - ca * da - cb * db) / (ca + cb);
      d.log_r.push_back(dr);
      d.slope += a.slope(xa) * (da + dr) + b.slope(xb) * (db + dr);
    }
    return d;
  }

  /// Returns the sum after a step of this length; -inf if some p r would be 1 or more.
  double value_after(const Direction& d, double length) const {
    double sum = 0;
    for (std::size_t e = 0; e < sets_.size(); ++e)
      for (const Side* side : {&sets_[e].a, &sets_[e].b}) {
        const double x =
            log_p_[side->position] + log_r_[e] + length * (d.log_p[side->position] + d.log_r[e]);
        if (!(x < 0)) return -std::numeric_limits<double>::infinity();
        sum += side->value(x);
      }
    return sum;
  }

  /// Halves the step in the direction until the sum grows enough, and takes it. Returns the largest
  /// change of a log p or log r.
  double move(const Direction& d) {
    constexpr double least_gain = 1e-4, rounding = 1e-13, shortest = 1e-12;
    const double before = value_after(
        {.log_p = std::vector<double>(log_p_.size()), .log_r = std::vector<double>(log_r_.size())},
        0);
    double length = 1;
    while (value_after(d, length) <
           before + least_gain * length * d.slope - rounding * std::abs(before)) {
      length /= 2;
      if (length < shortest) return 0;
    }
    double largest = 0;
    const auto add = [&](std::vector<double>& values, const std::vector<double>& steps) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] += length * steps[i];
        largest = std::max(largest, std::abs(length * steps[i]));
      }
    };
    add(log_p_, d.log_p);
    add(log_r_, d.log_r);
    return largest;
  }

  std::vector<Set> sets_;
  std::vector<double> log_p_, log_r_;
};

}  // namespace

Propensities all_pairs(const InterventionSums& sums) {
  Propensities propensities(sums.positions, std::numeric_limits<double>::quiet_NaN());
  if (sums.positions == 0) return propensities;
  // Clicks bound the propensities of some positions by multiples of the first one's: a set with
  // clicks at k' bounds p_k' from below by p_k, because otherwise p_k' would go to 0 relative to
  // it.
  const auto bounded_below = reached_from_first(
      sums.positions, [&](std::size_t k, std::size_t to) { return sums.click_rates(to, k) > 0; });
  const auto bounded_above = reached_from_first(
      sums.positions, [&](std::size_t k, std::size_t to) { return sums.click_rates(k, to) > 0; });
  std::vector<std::size_t> inside;                  // positions; the first is the log's first
  std::vector<std::size_t> number(sums.positions);  // index of each position in `inside`
  for (std::size_t k = 0; k < sums.positions; ++k) {
    if (!bounded_above[k]) continue;
    if (bounded_below[k]) {
      number[k] = inside.size();
      inside.push_back(k);
    } else {
      propensities[k] = 0;
    }
  }

  std::vector<Set> sets;
  const auto side = [&](std::size_t k, std::size_t other) {
    // Without any skip the maximum lies at p r = 1; a trace of skips keeps it off the edge.
    constexpr double trace = 1e-9;
    const double size = sums.size(k, other), clicks = sums.click_rates(k, other);
    return Side{
        .position = number[k], .clicks = clicks, .skips = std::max(size - clicks, trace * size)};
  };
  for (const std::size_t k : inside)
    for (const std::size_t other : inside)
      if (k < other && sums.click_rates(k, other) + sums.click_rates(other, k) > 0)
        sets.push_back({.a = side(k, other), .b = side(other, k)});

  if (inside.size() > 1) {
    Maximiser maximise(std::move(sets), inside.size());
    const std::vector<double>& log_p = maximise();
    for (std::size_t i = 0; i < inside.size(); ++i) propensities[inside[i]] = std::exp(log_p[i]);
  } else if (std::find(propensities.begin(), propensities.end(), 0) != propensities.end()) {
    propensities[0] = 1;  // relative to positions without clicks
  }
  return propensities;
}

}  // namespace ultr
