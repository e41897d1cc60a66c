#pragma once

#include "autograd/arithmetic.h"
#include "autograd/gather.h"
#include "autograd/matmul.h"
#include "layers/inputs_without_noise.h"
#include "layers/tower.h"

namespace ultr {

/// A logit w·z: a weighted sum, without bias, of another layer's representation z. For a tower, z
/// is its representation (Tower::representation) without dropout; for other layers, it is their
/// logit. No gradient passes to the other layer.
class WeightedRepresentation final : public LogitLayer {
 public:
  /// Uses name, seed and number of the setting.
  WeightedRepresentation(std::shared_ptr<const LogitLayer> of, const LayerSetting& setting)
      : of_(std::move(of)),
        tower_(dynamic_cast<const Tower*>(of_.get())),
        weights_(setting.name + ".weights", tower_ != nullptr ? tower_->width() : 1, 1) {
    draw_weights(weights_, Initialisation::glorot, setting, 0);
  }

  Logits logits(const Inputs& inputs) const override {
    const Tensor weights = read(inputs.tape(), weights_.view());
    const InputsWithoutNoise without_noise(inputs);
    if (tower_ != nullptr)
      return {matvec(stop_gradient(tower_->representation(without_noise)), weights),
              tower_->per_document(inputs)};
    const Logits logits = of_->logits(without_noise);
    return {stop_gradient(logits.values) * weights, logits.per_document};
  }
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
