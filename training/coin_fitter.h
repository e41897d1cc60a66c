#pragma once

#include <vector>

#include "optim/coins.h"
#include "training/fitter.h"
#include "training/log_pass.h"

namespace ultr {

/// A fitter for models made of Bernoulli coins. A pass over all sessions sets every coin to its
/// expected share of heads: expectation maximisation (EM), or counting, which is the same if no
/// coin is hidden.
class CoinFitter final : public Fitter {
 public:
  /// The story that explains the log.
  enum class Story : std::uint8_t {
    own,       // the model's own: EM
    complete,  // sessions end with their last click (see complete_data): counting, in one pass
  };

  /// Counts the tosses of every coin. Throws ConfigError, with the reason, unless every layer has
  /// one logit per entry and the model is made of independent coins (see tossed_logits and
  /// complete_data).
  CoinFitter(Story story, const PseudoTosses& pseudo, const FitSetting& setting);

  /// Throws ConfigError, before any parameter changes, if the log is impossible under the model.
  PassResult pass(std::int64_t epoch, const std::function<void(std::size_t)>& progress) override;
  FitProgress progress() const override { return {.steps = passes_}; }
  void resume(const FitProgress& progress) override { passes_ = progress.steps; }
  bool finished() const override { return story_ == Story::complete && passes_ > 0; }

 private:
  [[noreturn]] void refuse_impossible_sessions() const;

  Story story_;
  PseudoTosses pseudo_;
  FitSetting setting_;
  LogPass loss_;
  std::vector<std::vector<double>> tosses_;  // [layer of the model][entry]
  std::int64_t passes_ = 0;
};

}  // namespace ultr
