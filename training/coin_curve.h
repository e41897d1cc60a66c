#pragma once

#include <span>
#include <vector>

namespace ultr {

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
  /// Returns the logits below and above the mode at which twice the log-likelihood is `drop` less
  /// than at the mode.
  double lower(double drop) const { return solve(drop, -1); }
  double upper(double drop) const { return solve(drop, +1); }
  /// Finds the mode. Must be called after the last document was added.
  void finish();

 private:
  struct Slopes {
    double first = 0, second = 0;
  };
  double weight(std::size_t toss) const {
    return weights_.empty() ? 1 : static_cast<double>(weights_[toss]);
  }
  double value(double logit) const;
  Slopes slopes(double logit) const;
  double solve(double drop, int direction) const;

  double heads_ = 0.5, tails_ = 0.5;
  std::vector<float> tails_share_;  // v / (u + v) of each toss whose side is not known
  std::vector<float> weights_;      // of these; empty if all are 1
  double open_ = 0;                 // sum of these weights
  double mode_ = 0, highest_ = 0, spread_ = 1;
};

/// An interval around the most likely value, as logits.
struct LogitInterval {
  double lower = 0, centre = 0, upper = 0;
};

/// Returns the interval of the product of the probabilities of one or two coins: the values at
/// which twice the log-likelihood, maximised over all pairs of probabilities with that product, is
/// at most `drop` less than at its maximum.
LogitInterval product_interval(std::span<const CoinCurve* const> coins, double drop);

}  // namespace ultr
