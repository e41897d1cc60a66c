#pragma once

#include <span>
#include <vector>

#include "training/intervals/coin_posterior.h"

namespace ultr {

/// A beta distribution of a coin's probability, as numbers of heads and tails; by default Jeffreys'
/// prior.
struct CoinPrior {
  double heads = 0.5, tails = 0.5;
};

/// The log-likelihood of a click log as a function of the probability α of one coin, with all other
/// parameters held at their estimates, plus Jeffreys' prior of half a head and half a tail.
///
/// A story that tosses the coin once at a document is linear in α there:
///
///     P(clicks | α) ∝ u α + v (1-α),   u = P(clicks | heads),   v = P(clicks | tails),
///
/// and the score of the coin's logit gives u and v relative to P(clicks): u = 1 + score / α and
/// v = 1 - score / (1-α). The curve is therefore exact, however far from the estimate.
class CoinCurve {
 public:
  /// Adds a document at which the coin was tossed `tosses` times. `score`: the derivative of log
  /// P(clicks) with respect to the document's logit, at the probability `p` = 1 - `complement`. Of
  /// several tosses, all but one are taken to be known. `weight`: the number of such documents.
  void add(double score, double tosses, double p, double complement, double weight = 1);
  /// Adds a number of known heads and tails.
  void add_known(double heads, double tails) {
    heads_ += heads;
    tails_ += tails;
  }

  /// The logit with the largest value.
  double mode() const { return mode_; }
  /// Returns the posterior distribution of the logit.
  CoinPosterior posterior(const CoinPrior& prior = {}) const;
  /// Finds the mode. Must be called after the last document was added.
  void finish();

 private:
  struct Slopes {
    double first = 0, second = 0;
  };
  /// Writes the log density of the posterior at several logits, up to a common term.
  void write_log_densities(std::span<const double> logits, const CoinPrior& prior,
                           std::span<double> into) const;
  double log_density(double logit, const CoinPrior& prior) const;
  Slopes slopes(double logit) const;

  double heads_ = CoinPrior().heads, tails_ = CoinPrior().tails;
  std::vector<double> tails_share_;  // v / (u + v) of each toss whose side is not known
  std::vector<double> weights_;      // of these; empty if all are 1
  double open_ = 0;                  // sum of these weights
  double mode_ = 0, spread_ = 1;
};

}  // namespace ultr
