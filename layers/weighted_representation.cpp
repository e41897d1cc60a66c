#include "layers/weighted_representation.h"

#include "autograd/arithmetic.h"
#include "autograd/gather.h"
#include "autograd/matmul.h"
#include "layers/inputs_without_noise.h"

namespace ultr {

WeightedRepresentation::WeightedRepresentation(std::shared_ptr<const LogitLayer> of,
                                               const LayerSetting& setting)
    : of_(std::move(of)),
      tower_(dynamic_cast<const Tower*>(of_.get())),
      weights_(setting.name + ".weights", tower_ != nullptr ? tower_->width() : 1, 1) {
  draw_weights(weights_, Initialisation::glorot, setting, 0);
}

Logits WeightedRepresentation::logits(const Inputs& inputs) const {
  const Tensor weights = read(inputs.tape(), weights_.view());
  const InputsWithoutNoise without_noise(inputs);
  if (tower_ != nullptr)
    return {matvec(stop_gradient(tower_->representation(without_noise)), weights),
            tower_->per_document(inputs)};
  const Logits logits = of_->logits(without_noise);
  return {stop_gradient(logits.values) * weights, logits.per_document};
}

}  // namespace ultr
