#pragma once

#include <memory>
#include <vector>

#include "data/log/session_log.h"
#include "dsl/model_options.h"
#include "optim/adam.h"
#include "training/train_options.h"

namespace ultr {

/// Options of a tower that scores documents by their features, and of its training: AdamW on
/// batches of lists, for a fixed number of epochs.
class FeatureTowerOptions final : public Options {
 public:
  /// `loss`: a RankingLoss whose only parameter is `relevance`. `layers`: the layers that the tower
  /// may be; they must outlive the options.
  FeatureTowerOptions(ModelType loss, const std::vector<OptionType>& layers);

  void fields(Fields& f) override;
  /// Throws ConfigError if the layer depends on which document it is, not on its features.
  void check() const;
  /// Trains the tower on lists whose documents bring features of their own
  /// (SessionLog::set_features), as those that it scores must. The result does not depend on
  /// `threads`.
  TrainableModel train(const SessionLog& lists, std::uint64_t seed, int threads) const;

 private:
  std::vector<OptionType> no_models_;  // the tower is not made of other models
  ModelOptions tower_;
  AdamWOptions adam_;
  TrainOptions train_;
};

}  // namespace ultr
