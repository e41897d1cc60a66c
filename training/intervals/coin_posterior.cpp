#include "training/intervals/coin_posterior.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "base/sigmoid.h"

namespace ultr {
namespace {

/// Returns the logit of e^log_p.
double logit_of_log(double log_p) { return log_p - std::log(-std::expm1(log_p)); }

/// The product of the probabilities of two coins.
class CoinProduct {
 public:
  /// Sums go over the coin that is known better, along which the probability of the other varies
  /// slowly.
  CoinProduct(const CoinPosterior& a, const CoinPosterior& b)
      : known_(distance_of_nodes(a) < distance_of_nodes(b) ? a : b), other_(&known_ == &a ? b : a) {
    for (std::size_t i = 0; i < known_.size(); ++i)
      logs_.push_back(log_of_sigmoid(known_.logit(i)));
  }

  /// Returns the probability of products below e^log_product.
  double below(double log_product) const {
    double sum = 0;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const double log_p = log_product - logs_[i];
      sum += known_.mass(i) * (log_p < 0 ? other_.below(logit_of_log(log_p)) : 1.0);
    }
    return sum;
  }

  /// Returns the logit of the product below which there is a probability of `share`.
  double quantile(double share) const {
    constexpr double tolerance = 1e-5;
    const auto excess = [&](double log_product) { return below(log_product) - share; };
    const double from = logs_.front() + log_of_sigmoid(other_.logit(0));
    const double to = logs_.back() + log_of_sigmoid(other_.logit(other_.size() - 1));
    const double at_from = excess(from), at_to = excess(to);
    if (at_from >= 0) return logit_of_log(from);
    if (at_to <= 0) return logit_of_log(to);
    std::uintmax_t most = 60;
    const auto close = [&](double a, double b) { return std::abs(a - b) < tolerance; };
    const auto [a, b] =
        boost::math::tools::toms748_solve(excess, from, to, at_from, at_to, close, most);
    return logit_of_log((a + b) / 2);
  }

 private:
  /// Returns the distance of nodes around the median, on the scale of log probabilities.
  static double distance_of_nodes(const CoinPosterior& coin) {
    return coin.step() * sigmoid(-coin.quantile(0.5));
  }

  const CoinPosterior &known_, &other_;
  std::vector<double> logs_;
};

}  // namespace

CoinPosterior::CoinPosterior(double first, double step, std::vector<double> density)
    : first_(first), step_(step), density_(std::move(density)), below_(density_.size()) {
  // The trapezoidal rule with its first correction, by differences of neighbours.
  const std::size_t last = density_.size() - 1;
  const auto difference = [&](std::size_t i) {
    return i == 0 || i == last ? 0.0 : (density_[i + 1] - density_[i - 1]) / 2;
  };
  for (std::size_t i = 0; i < last; ++i)
    below_[i + 1] = below_[i] + step_ * std::max(0.0, (density_[i] + density_[i + 1]) / 2 +
                                                          (difference(i) - difference(i + 1)) / 12);
  const double total = below_.back();
  for (double& x : density_) x /= total;
  for (double& x : below_) x /= total;
}

double CoinPosterior::below(std::size_t node, double at) const {
  // The cubic polynomial with the density at both nodes as its slopes.
  const double rise = below_[node + 1] - below_[node];
  const double from = step_ * density_[node], to = step_ * density_[node + 1];
  return below_[node] + at * (from + at * (3 * rise - 2 * from - to + at * (from + to - 2 * rise)));
}

double CoinPosterior::below(double logit) const {
  const double place = (logit - first_) / step_;
  if (!(place > 0)) return 0;
  if (place >= static_cast<double>(size() - 1)) return 1;
  const auto node = static_cast<std::size_t>(place);
  return below(node, place - static_cast<double>(node));
}

double CoinPosterior::quantile(double share) const {
  constexpr int halvings = 24;
  const auto above = std::ranges::upper_bound(below_, share);
  const auto node = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
      above - below_.begin() - 1, 0, static_cast<std::ptrdiff_t>(size()) - 2));
  double low = 0, high = 1;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (below(node, middle) < share ? low : high) = middle;
  }
  return logit(node) + step_ * (low + high) / 2;
}

LogitInterval product_interval(std::span<const CoinPosterior> coins, double outside) {
  const auto between = [&](const auto& distribution) -> LogitInterval {
    return {distribution.quantile(outside), distribution.quantile(0.5),
            distribution.quantile(1 - outside)};
  };
  return coins.size() == 1 ? between(coins[0]) : between(CoinProduct(coins[0], coins[1]));
}

}  // namespace ultr
