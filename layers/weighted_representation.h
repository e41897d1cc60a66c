#pragma once

#include "layers/tower.h"

namespace ultr {

/// A logit w·z, a weighted sum without bias of what another layer makes its logit of: z is a
/// tower's representation (Tower::representation), without its dropout, and of other layers the
/// logit itself. No gradient passes to that layer.
class WeightedRepresentation final : public LogitLayer {
 public:
  /// Of the setting, name, seed and number matter.
  WeightedRepresentation(std::shared_ptr<const LogitLayer> of, const LayerSetting& setting);

  Logits logits(const Inputs& inputs) const override;
  /// The weights.
  std::vector<Parameter*> parameters() override { return {&weights_}; }
  /// Does nothing: a sum without bias cannot be shifted.
  void shift(float) override {}
  std::optional<std::vector<EmbeddingTable*>> tables_by_entry() override {
    return std::vector<EmbeddingTable*>();
  }

 private:
  std::shared_ptr<const LogitLayer> of_;
  const Tower* tower_;  // the same, if it is one
  DenseParameter weights_;
};

}  // namespace ultr
