#pragma once

#include "layers/tower.h"

namespace ultr {

/// A logit w·z: a weighted sum, without bias, of another layer's representation z. For a tower, z
/// is its representation (Tower::representation) without dropout; for other layers, it is their
/// logit. No gradient passes to the other layer.
class WeightedRepresentation final : public LogitLayer {
 public:
  /// Uses name, seed and number of the setting.
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
  const Tower* tower_;  // of_ as a tower; null if it is none
  DenseParameter weights_;
};

}  // namespace ultr
