#include "training/coin_curve.h"

#include <algorithm>
#include <array>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/sigmoid.h"

namespace ultr {
namespace {

/// Beyond this logit, probabilities are 0 or 1 for all purposes.
constexpr double farthest_step = 60;

double log_sigmoid_of(double x) {
  return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}

/// Returns the root of a monotone function in [from, to], at whose ends it has different signs.
template <class Function>
double root(Function f, double from, double at_from, double to, double at_to, double tolerance) {
  std::uintmax_t most = 60;
  const auto close = [&](double a, double b) { return std::abs(a - b) < tolerance; };
  const auto [a, b] = boost::math::tools::toms748_solve(f, from, to, at_from, at_to, close, most);
  return (a + b) / 2;
}

/// Returns the logit of e^log_p.
double logit_of_log(double log_p) { return log_p - std::log(-std::expm1(log_p)); }

}  // namespace

void CoinCurve::add(double score, double tosses, double p, double complement, double weight) {
  constexpr double known = 1e-9;
  if (tosses < 0.5) return;  // never tossed
  const double expected = tosses * p + score;
  const double heads = std::clamp(std::floor(expected), 0.0, tosses - 1);
  if (tosses > 1.5) {
    heads_ += weight * heads;
    tails_ += weight * (tosses - 1 - heads);
    score = expected - heads - p;
  }
  const double u = std::max(0.0, p > 0 ? 1 + score / p : 0);
  const double v = std::max(0.0, complement > 0 ? 1 - score / complement : 0);
  const double share = v / (u + v);
  if (!(share > known)) {
    heads_ += weight;
  } else if (share > 1 - known) {
    tails_ += weight;
  } else {
    if (weight != 1 && weights_.empty()) weights_.assign(tails_share_.size(), 1.0f);
    if (weight != 1 || !weights_.empty()) weights_.push_back(static_cast<float>(weight));
    tails_share_.push_back(static_cast<float>(share));
    open_ += weight;
  }
}

double CoinCurve::value(double logit) const {
  constexpr std::size_t factors = 16;  // that a product of doubles surely holds
  const double p = sigmoid(logit), q = sigmoid(-logit);
  double sum = heads_ * log_sigmoid_of(logit) + tails_ * log_sigmoid_of(-logit);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double factor = p + static_cast<double>(tails_share_[i]) * (q - p);
    sum += weight(i) * std::log(std::max(factor, std::numeric_limits<double>::min()));
  }
  if (!weights_.empty()) return sum;
  for (std::size_t begin = 0; begin < tails_share_.size(); begin += factors) {
    double product = 1;
    const std::size_t end = std::min(begin + factors, tails_share_.size());
    for (std::size_t i = begin; i < end; ++i) {
      const auto share = static_cast<double>(tails_share_[i]);
      product *= p + share * (q - p);
    }
    sum += std::log(std::max(product, std::numeric_limits<double>::min()));
  }
  return sum;
}

CoinCurve::Slopes CoinCurve::slopes(double logit) const {
  const double p = sigmoid(logit), q = sigmoid(-logit);
  Slopes sum{.first = heads_ * q - tails_ * p, .second = -(heads_ + tails_) * p * q};
  for (std::size_t i = 0; i < tails_share_.size(); ++i) {
    const auto share = static_cast<double>(tails_share_[i]);
    const double heads = (1 - share) * p / (p + share * (q - p));  // posterior of heads
    sum.first += weight(i) * (heads - p);
    sum.second += weight(i) * (heads * (1 - heads) - p * q);
  }
  return sum;
}

void CoinCurve::finish() {
  constexpr double tolerance = 1e-6;
  const auto slope = [&](double x) { return slopes(x).first; };
  // From the coin's known sides outwards, so that the bracket is narrow.
  double from = std::log(heads_ / (tails_ + open_)) - tolerance;
  double to = std::log((heads_ + open_) / tails_) + tolerance;
  const double at_from = slope(from), at_to = slope(to);
  mode_ = at_from <= 0 ? from : at_to >= 0 ? to : root(slope, from, at_from, to, at_to, tolerance);
  highest_ = value(mode_);
  spread_ = 1 / std::sqrt(std::max(1e-3, -slopes(mode_).second));
}

double CoinCurve::solve(double drop, int direction) const {
  if (drop <= 0) return mode_;
  const double aim = std::sqrt(drop);
  const auto excess = [&](double x) {
    return std::sqrt(2 * std::max(0.0, highest_ - value(x))) - aim;
  };
  double near = mode_, at_near = -aim, step = spread_ * aim;
  for (;;) {
    const double far = mode_ + direction * step;
    if (std::abs(far) > farthest_step) return direction * farthest_step;
    const double at_far = excess(far);
    if (at_far == 0) return far;
    if (at_far > 0)
      return root(excess, std::min(near, far), near < far ? at_near : at_far, std::max(near, far),
                  near < far ? at_far : at_near, 1e-4 * step);
    near = far, at_near = at_far;
    step *= 1.5;
  }
}

LogitInterval product_interval(std::span<const CoinCurve* const> coins, double drop) {
  if (coins.size() == 1) return {coins[0]->lower(drop), coins[0]->mode(), coins[0]->upper(drop)};
  // The drop of the product's curve is divided over the coins in the way that takes it farthest.
  constexpr int ways = 8;
  double lowest = 0, highest = -std::numeric_limits<double>::infinity();
  for (int way = 0; way <= ways; ++way) {
    const double share = std::pow(std::sin(way * std::numbers::pi / (2 * ways)), 2);
    const double first = share * drop, second = (1 - share) * drop;
    lowest = std::min(
        lowest, log_sigmoid_of(coins[0]->lower(first)) + log_sigmoid_of(coins[1]->lower(second)));
    highest = std::max(
        highest, log_sigmoid_of(coins[0]->upper(first)) + log_sigmoid_of(coins[1]->upper(second)));
  }
  const double centre = log_sigmoid_of(coins[0]->mode()) + log_sigmoid_of(coins[1]->mode());
  return {logit_of_log(lowest), logit_of_log(centre), logit_of_log(highest)};
}

}  // namespace ultr
