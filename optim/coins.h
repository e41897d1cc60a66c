#pragma once

#include <optional>
#include <span>
#include <vector>

#include "layers/logit_layer.h"
#include "options/fields.h"

namespace ultr {

/// Tosses added to what a log shows of every coin: a Beta prior, with `count` tosses of which the
/// share `mean` are heads; without a mean, the share over all coins of the parameter.
struct PseudoTosses {
  double count = 0;
  std::optional<double> mean;

  /// The fields `pseudo_count` and `pseudo_mean`.
  void fields(Fields& f);
};

/// What a log shows of a parameter's coins: for each entry the derivative of the log-likelihood
/// with respect to its logit, and how often it was tossed.
struct CoinEvidence {
  std::span<const double> gradient, tosses;
};

/// Logits of coins and of shares stay within ± this, so that no probability becomes 0 or 1 for
/// good.
inline constexpr double largest_coin_logit = 30;

/// The maximisation step for Bernoulli coins: p ← (p N + gradient + a) / (N + a + b), in logits; a
/// and b are pseudo-tosses that show heads and tails. A baseline becomes the logit of the mean of
/// the pseudo-tosses, or without them of the share of heads over all entries, and an entry that was
/// never tossed predicts it. Where there is neither, such an entry stays as it is.
void maximise_coins(const EntryLogits& logits, const CoinEvidence& evidence,
                    const PseudoTosses& pseudo);

/// The same for the shares of several ways, p = softmax(logits): p ← p + gradient / N.
void maximise_shares(Parameter& logits, const CoinEvidence& evidence);

}  // namespace ultr
