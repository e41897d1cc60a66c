#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autograd/ops/attention.h"
#include "layers/affine_layer.h"
#include "layers/sequence_encoder.h"

namespace ultr {

/// The shape of a transformer encoder.
struct TransformerShape {
  std::int64_t layers = 2, width = 64, heads = 4, inner = 256;
  bool pre_norm = false;
  /// Applied between the two affine layers of each block.
  Tensor (*activation)(Tensor) = nullptr;
  double dropout = 0;
};

/// Names of the activations of a transformer, and the op of a name. Throws Error if there is none.
const std::vector<std::string>& transformer_activations();
Tensor (*transformer_activation(std::string_view name))(Tensor);

/// Layer normalisation with a learned scale and shift, which start at 1 and 0 and do not decay.
class NormLayer {
 public:
  /// Names the parameters `name`.scale and `name`.shift.
  NormLayer(const std::string& name, std::int64_t width);

  Tensor operator()(Tensor x) const;
  DenseParameter& scale() const { return *scale_; }
  DenseParameter& shift() const { return *shift_; }

  /// BERT's epsilon.
  static constexpr double epsilon = 1e-12;

 private:
  // Recorded programs point to the parameters, so these must stay in place if the layer is moved.
  std::unique_ptr<DenseParameter> scale_, shift_;
};

/// A block of a transformer encoder: attention, then two affine layers with an activation between
/// them. Each of the two halves is added to its input. Normalisation follows the sum (post, as in
/// BERT) or precedes the half (pre):
///
///     post   h = norm(h + half(h))
///     pre    h = h + half(norm(h))
///
/// In training, dropout applies to the output of each half, before it is added.
class TransformerBlock {
 public:
  /// Names the parameters `name`.query.weights, ... `first_number`: number of affine layers of the
  /// tower before those of this block. `salt`: of the first of its two dropouts.
  TransformerBlock(const TransformerShape& shape, const std::string& name,
                   const LayerSetting& setting, std::uint64_t first_number, std::uint32_t salt);

  /// [tokens, width] -> [tokens, width].
  Tensor operator()(Tensor x, const SequenceInputs& inputs) const;
  /// The rows of the first tokens alone, in a fraction of the time: [tokens, width] -> [sequences,
  /// width].
  Tensor first_tokens(Tensor x, const SequenceInputs& inputs) const;

  static constexpr std::uint64_t affine_layers = 6;
  static constexpr std::uint32_t dropouts = 2;

  enum AffinePart : std::size_t { query, key, value, attention_output, inner, outer };
  /// The affine layers, by AffinePart.
  const std::vector<AffineLayer>& affine() const { return affine_; }
  enum NormPart : std::size_t { of_attention, of_inner };
  /// The normalisations that belong to the attention and to the affine layers after it, by
  /// NormPart.
  const std::vector<NormLayer>& norms() const { return norms_; }

 private:
  /// `queries`: x, or its rows of first tokens.
  Tensor attended(Tensor queries, Tensor x, const SequenceInputs& inputs, Queries which) const;
  /// The block for all tokens, or for the first of each sequence.
  Tensor apply(Tensor x, const SequenceInputs& inputs, Queries which) const;
  Tensor transformed(Tensor x) const;
  Tensor dropped(Tensor x, const SequenceInputs& inputs, std::uint32_t which) const;

  TransformerShape shape_;
  std::vector<AffineLayer> affine_;
  std::vector<NormLayer> norms_;
  std::uint32_t salt_;
};

}  // namespace ultr
