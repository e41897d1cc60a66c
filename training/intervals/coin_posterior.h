#pragma once

#include <span>
#include <vector>

namespace ultr {

/// The distribution of the logit of one coin's probability: a density on evenly spaced logits, as
/// CoinCurve::posterior computes it.
class CoinPosterior {
 public:
  /// `density`: values at the logits `first`, `first` + `step`, ..., up to a common factor.
  /// Outside, the density is taken to be 0.
  CoinPosterior(double first, double step, std::vector<double> density);

  /// Returns the probability of logits below `logit`.
  double below(double logit) const;
  /// Returns the logit below which there is a probability of `share`, in (0, 1).
  double quantile(double share) const;

  std::size_t size() const { return density_.size(); }
  double step() const { return step_; }
  double logit(std::size_t node) const { return first_ + step_ * static_cast<double>(node); }
  /// Returns the probability of the logits around a node.
  double mass(std::size_t node) const { return step_ * density_[node]; }

 private:
  /// Returns the probability of logits below a place between two nodes, `at` in [0, 1].
  double below(std::size_t node, double at) const;

  double first_, step_;
  std::vector<double> density_, below_;
};

/// An interval around a median, as logits.
struct LogitInterval {
  double lower = 0, centre = 0, upper = 0;
};

/// Returns the interval between the quantiles `outside` and 1 - `outside` of the product of the
/// probabilities of one or two coins.
LogitInterval product_interval(std::span<const CoinPosterior> coins, double outside);

}  // namespace ultr
