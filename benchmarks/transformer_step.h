#pragma once

#include <memory>
#include <vector>

#include "layers/transformer_encoder.h"
#include "optim/optim.h"

namespace ultr::bench {

/// A training step of a cross-encoder with 4 layers, width 256, 4 heads and an inner layer of 1024
/// on some documents of 64 tokens each, always the same: forward pass, backward pass and Adam on
/// all parameters but the tables, whose gradients are computed. The loss is the mean square of the
/// documents' logits.
class TransformerStep {
 public:
  static constexpr std::int64_t tokens_per_document = 64, words_known = 20000;
  static constexpr double learning_rate = 1e-4;
  static TransformerShape shape();

  explicit TransformerStep(std::int64_t documents);

  /// Steps, and returns the loss before the update.
  double operator()();
  std::int64_t documents() const { return documents_; }
  const PackedSequences& sequences() const { return packed_; }
  const TransformerEncoder& encoder() const { return encoder_; }
  const AffineLayer& head() const { return head_; }

 private:
  std::int64_t documents_;
  PackedSequences packed_;
  TransformerEncoder encoder_;
  AffineLayer head_;
  std::vector<DenseParameter*> parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  Tape tape_;
  Tensor loss_;
};

}  // namespace ultr::bench
