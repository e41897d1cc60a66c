#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "layers/logit_layer.h"
#include "optim/optimizer.h"

namespace ultr {

/// Pseudo-tosses added to the observed tosses of every coin: a Beta prior of `count` tosses, of
/// which the share `mean` shows heads. Without a mean, it is the share over all coins of the
/// parameter.
struct PseudoTosses {
  double count = 0;
  std::optional<double> mean;

  /// Declares the fields `pseudo_count` and `pseudo_mean`.
  void fields(Fields& f);
};

/// Options of expectation maximisation (EM; Dempster, Laird & Rubin, 1977). Each pass over all
/// sessions replaces every probability by its expected share of heads given the clicks. That share
/// follows from the derivative of the log-likelihood (Fisher's identity), so that no model needs an
/// E-step of its own. Without pseudo-tosses, no pass lowers the likelihood. With a given
/// pseudo_mean, no pass lowers the likelihood times the prior.
struct EmOptions final : FitOptions {
  PseudoTosses pseudo;
  /// Fitting ends when no probability changes by more than this in a pass; 0: it has no end of its
  /// own.
  double tolerance = 0;
  void fields(Fields& f) override;
};

/// Options of counting (Chapelle & Zhang, 2009, section 4, for sdbn; Guo et al., 2009, for dcm). It
/// assumes that users stopped with their last click, and that they examined all of a list without
/// clicks. Every coin is then observed, and one pass counts its heads. This maximises the
/// likelihood of that simplified story, not of the model's own; `em` does the latter.
struct CountingOptions final : FitOptions {
  PseudoTosses pseudo;
  void fields(Fields& f) override { pseudo.fields(f); }
};

/// A log's evidence about a parameter's coins: for each entry, the derivative of the log-likelihood
/// with respect to its logit, and how often the coin was tossed.
struct CoinEvidence {
  std::span<const double> gradient, tosses;
};

/// Adds up a number per entry of a parameter, in the order of the entries, as maximise_coins does.
/// Bits do not depend on how the entries are cut into pieces.
class EntrySum {
 public:
  EntrySum();
  void add(std::span<const double> numbers);
  double total() const;

 private:
  std::vector<double> lanes_;
  std::size_t next_ = 0;
};

/// Returns the EntrySum of a number per entry, given the numbers of the entries that this process
/// holds. Needed where others hold further entries.
using SumOfEntries = std::function<double(std::span<const double> own)>;

/// Updates Bernoulli coins by the maximisation step of EM, in logits:
///
///     p ← (p N + gradient + a) / (N + a + b)
///
/// N counts an entry's tosses, and a and b are the pseudo-tosses that show heads and tails. A
/// baseline becomes the logit of the pseudo-tosses' mean if one is given, and otherwise of the
/// share of heads over all entries; an entry that was never tossed then predicts it. Without a
/// baseline, an entry with neither tosses nor pseudo-tosses keeps its logit. Returns the largest
/// change of the probability of a coin that was tossed. `sum`: empty if this process holds all
/// entries.
double maximise_coins(const EntryLogits& logits, const CoinEvidence& evidence,
                      const PseudoTosses& pseudo, const SumOfEntries& sum = {});

/// Updates the shares of several alternatives, p = softmax(logits), by the maximisation step of EM:
/// p ← p + gradient / N. Returns the largest change of a share.
double maximise_shares(Parameter& logits, const CoinEvidence& evidence);

}  // namespace ultr
