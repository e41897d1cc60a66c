#pragma once

#include <vector>

#include "optim/coins.h"
#include "training/fitter.h"
#include "training/full_pass.h"

namespace ultr {

/// Passes over all sessions that set every coin of a model to its expected share of heads:
/// expectation maximisation, or counting, which is the same where no coin is hidden.
class CoinFitter final : public Fitter {
 public:
  /// How the log is taken.
  enum class Story : std::uint8_t {
    own,       // the model's
    complete,  // sessions end with their last click (see complete_data); one pass is all
  };

  /// Throws ConfigError, saying why, if the model is not made of coins that can be set one by one.
  CoinFitter(Story story, const PseudoTosses& pseudo, const FitSetting& setting);

  /// Throws ConfigError, before anything changes, if the log is impossible under the model.
  FitPass pass(std::int64_t epoch, const std::function<void(std::size_t)>& progress) override;
  FitProgress progress() const override { return {.steps = passes_}; }
  void resume(const FitProgress& progress) override { passes_ = progress.steps; }
  bool finished() const override { return story_ == Story::complete && passes_ > 0; }

 private:
  [[noreturn]] void refuse_impossible_sessions() const;

  Story story_;
  PseudoTosses pseudo_;
  FitSetting setting_;
  FullPass loss_;
  std::vector<std::vector<double>> tosses_;  // by layer of the model
  std::int64_t passes_ = 0;
};

}  // namespace ultr
