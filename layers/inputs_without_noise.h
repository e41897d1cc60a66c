#pragma once

#include "layers/logit_layer.h"

namespace ultr {

/// Inputs without the noise of training, for layers that are held constant. The original inputs
/// must outlive this object.
class InputsWithoutNoise final : public Inputs {
 public:
  explicit InputsWithoutNoise(const Inputs& inputs) : inputs_(inputs) {}
  Tape& tape() const override { return inputs_.tape(); }
  Index index(Domain domain) const override { return inputs_.index(domain); }
  Tensor features(Domain domain) const override { return inputs_.features(domain); }
  Tensor scores(const FeatureScorer& scorer) const override { return inputs_.scores(scorer); }
  Tensor sequence_values(const SequenceEncoder& encoder, std::optional<Index>) const override {
    return inputs_.sequence_values(encoder, std::nullopt);
  }

 private:
  const Inputs& inputs_;
};

}  // namespace ultr
