#include "training/intervals/coin_curve.h"

#include <algorithm>
#include <array>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "kernels/sigmoid_pair.h"

namespace ultr {
namespace {

using P = Pack<double>;

/// The probabilities of a coin's sides, whose logit each lane has, and their logs.
struct Coin {
  P heads, tails, log_heads, log_tails;

  explicit Coin(P logit) {
    const SigmoidPair<P> sides(logit);
    const P log_all = log1p_of_unit(sides.u);
    heads = sides.yes;
    tails = sides.no;
    log_heads = min(logit, 0.0) - log_all;
    log_tails = min(-logit, 0.0) - log_all;
  }
};

/// Returns the log-likelihood of the tosses whose sides are not known (CoinCurve::tails_share_).
P log_of_open_tosses(const Coin& coin, std::span<const double> tails_share,
                     std::span<const double> weights) {
  constexpr std::size_t factors = 16;  // that a product of doubles surely holds
  const P more = coin.tails - coin.heads, smallest(std::numeric_limits<double>::min());
  P sum(0);
  for (std::size_t i = 0; i < weights.size(); ++i)
    sum += weights[i] * log(max(coin.heads + tails_share[i] * more, smallest));
  if (!weights.empty()) return sum;
  for (std::size_t begin = 0; begin < tails_share.size(); begin += factors) {
    P product(1);
    for (const double share :
         tails_share.subspan(begin, std::min(factors, tails_share.size() - begin)))
      product = product * (coin.heads + share * more);
    sum += log(max(product, smallest));
  }
  return sum;
}

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
    if (weight != 1 && weights_.empty()) weights_.assign(tails_share_.size(), 1.0);
    if (weight != 1 || !weights_.empty()) weights_.push_back(weight);
    tails_share_.push_back(share);
    open_ += weight;
  }
}

void CoinCurve::write_log_densities(std::span<const double> logits, const CoinPrior& prior,
                                    std::span<double> into) const {
  const double heads = heads_ + prior.heads - CoinPrior().heads,
               tails = tails_ + prior.tails - CoinPrior().tails;
  for_each_pack<double>(logits.size(), [&](std::size_t i, auto... lanes) {
    const Coin coin(P::load(&logits[i], lanes...));
    const P known = coin.log_heads * heads + coin.log_tails * tails;
    (known + log_of_open_tosses(coin, tails_share_, weights_)).store(&into[i], lanes...);
  });
}

double CoinCurve::log_density(double logit, const CoinPrior& prior) const {
  double density = 0;
  write_log_densities({&logit, 1}, prior, {&density, 1});
  return density;
}

CoinCurve::Slopes CoinCurve::slopes(double logit) const {
  const Coin coin{P(logit)};
  const P p = coin.heads, q = coin.tails;
  P first(0), second(0);
  for_each_pack<double>(tails_share_.size(), [&](std::size_t i, auto... lanes) {
    const P share = P::load(&tails_share_[i], lanes...);
    P weight = weights_.empty() ? P(1) : P::load(&weights_[i], lanes...);
    if constexpr (sizeof...(lanes) > 0) weight = where(first_lanes<double>(lanes...), weight, 0.0);
    const P heads = (1 - share) * p / (p + share * (q - p));  // posterior of heads
    first += weight * (heads - p);
    second += weight * (heads * (1 - heads) - p * q);
  });
  const double is_heads = p.vector[0], is_tails = q.vector[0];
  return {.first = heads_ * is_tails - tails_ * is_heads + sum(first),
          .second = sum(second) - (heads_ + tails_) * is_heads * is_tails};
}

void CoinCurve::finish() {
  constexpr double tolerance = 1e-6;
  const auto slope = [&](double x) { return slopes(x).first; };
  // From the coin's known sides outwards, so that the bracket is narrow.
  double from = std::log(heads_ / (tails_ + open_)) - tolerance;
  double to = std::log((heads_ + open_) / tails_) + tolerance;
  const double at_from = slope(from), at_to = slope(to);
  mode_ = at_from <= 0 ? from : at_to >= 0 ? to : root(slope, from, at_from, to, at_to, tolerance);
  spread_ = 1 / std::sqrt(std::max(1e-3, -slopes(mode_).second));
}

CoinPosterior CoinCurve::posterior(const CoinPrior& prior) const {
  constexpr std::size_t panels = 96, steps_at_once = P::size;
  constexpr double negligible = 15;  // e^-15 of the density at the mode
  constexpr double farther = 1.3;
  const double at_mode = log_density(mode_, prior);
  const auto end = [&](int direction) {
    std::array<double, steps_at_once> logits, densities;
    for (double step = std::sqrt(2 * negligible) * spread_;;) {
      for (double& logit : logits) {
        logit = mode_ + direction * step;
        step *= farther;
      }
      write_log_densities(logits, prior, densities);
      for (std::size_t i = 0; i < steps_at_once; ++i)
        if (std::abs(mode_) + std::abs(logits[i] - mode_) >= farthest_step ||
            densities[i] <= at_mode - negligible)
          return logits[i];
    }
  };
  const double first = end(-1), step = (end(+1) - first) / panels;
  std::array<double, panels + 1> logits;
  for (std::size_t i = 0; i <= panels; ++i) logits[i] = first + step * static_cast<double>(i);
  std::vector<double> density(panels + 1);
  write_log_densities(logits, prior, density);
  for_each_pack<double>(density.size(), [&](std::size_t i, auto... lanes) {
    exp(P::load(&density[i], lanes...) - at_mode).store(&density[i], lanes...);
  });
  return {first, step, std::move(density)};
}

}  // namespace ultr
