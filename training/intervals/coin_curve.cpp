#include "training/intervals/coin_curve.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "base/sigmoid.h"

namespace ultr {
namespace {

/// Beyond this logit, probabilities are 0 or 1 for all purposes.
constexpr double farthest_step = 60;

/// Returns the root of a monotone function in [from, to], at whose ends it has different signs.
template <class Function>
double root(Function f, double from, double at_from, double to, double at_to, double tolerance) {
  std::uintmax_t most = 60;
  const auto close = [&](double a, double b) { return std::abs(a - b) < tolerance; };
  const auto [a, b] = boost::math::tools::toms748_solve(f, from, to, at_from, at_to, close, most);
  return (a + b) / 2;
}

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
  double sum = heads_ * log_of_sigmoid(logit) + tails_ * log_of_sigmoid(-logit);
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

CoinPosterior CoinCurve::posterior(const CoinPrior& prior) const {
  constexpr std::size_t panels = 96;
  constexpr double negligible = 15;  // e^-15 of the density at the mode
  constexpr double farther = 1.3;
  const auto log_density = [&](double logit) {
    return value(logit) - highest_ + (prior.heads - CoinPrior().heads) * log_of_sigmoid(logit) +
           (prior.tails - CoinPrior().tails) * log_of_sigmoid(-logit);
  };
  const double at_mode = log_density(mode_);
  const auto end = [&](int direction) {
    double step = std::sqrt(2 * negligible) * spread_;
    while (std::abs(mode_) + step < farthest_step &&
           log_density(mode_ + direction * step) > at_mode - negligible)
      step *= farther;
    return mode_ + direction * step;
  };
  const double first = end(-1), step = (end(+1) - first) / panels;
  std::vector<double> density(panels + 1);
  for (std::size_t i = 0; i <= panels; ++i)
    density[i] = std::exp(log_density(first + step * static_cast<double>(i)));
  return {first, step, std::move(density)};
}

}  // namespace ultr
