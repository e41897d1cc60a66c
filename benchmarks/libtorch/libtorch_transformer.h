#pragma once

#include <memory>
#include <vector>

#include "libtorch/libtorch_models.h"
#include "transformer_step.h"

namespace ultr::bench {

/// The training step of TransformerStep in libtorch: its torch::nn::TransformerEncoder and
/// torch::optim::Adam. All documents have the same number of tokens, so nothing is padded.
class LibtorchTransformer {
 public:
  /// Starts with the parameters that `start` has now.
  LibtorchTransformer(const TransformerStep& start, TableGradients gradients);

  /// Steps, and returns the loss before the update.
  double operator()();

 private:
  torch::Tensor loss();

  torch::Tensor tokens_, places_, types_;  // [tokens, documents]
  std::vector<torch::Tensor> tables_;      // of words, positions and types
  torch::nn::LayerNorm embedding_norm_ = nullptr;
  torch::nn::TransformerEncoder encoder_ = nullptr;
  torch::nn::Linear head_ = nullptr;
  bool sparse_;
  std::vector<torch::Tensor> dense_;
  std::unique_ptr<torch::optim::Adam> adam_;  // of dense_
};

}  // namespace ultr::bench
