#include "layers/transformer_block.h"

#include <array>
#include <utility>

#include <fmt/core.h>

#include "autograd/ops/activations.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/slice.h"
#include "autograd/ops/take_rows.h"
#include "base/error.h"

namespace ultr {
namespace {

constexpr std::array<std::pair<const char*, Tensor (*)(Tensor)>, 5> activations = {
    {{"gelu", gelu}, {"gelu_tanh", gelu_tanh}, {"relu", relu}, {"elu", elu}, {"tanh", tanh}}};

}  // namespace

const std::vector<std::string>& transformer_activations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, op] : activations) all.emplace_back(name);
    return all;
  }();
  return names;
}

Tensor (*transformer_activation(std::string_view name))(Tensor) {
  for (const auto& [known, op] : activations)
    if (known == name) return op;
  throw Error(fmt::format("no activation is called '{}'", name));
}

NormLayer::NormLayer(const std::string& name, std::int64_t width)
    : scale_(std::make_unique<DenseParameter>(name + ".scale", width, 1)),
      shift_(std::make_unique<DenseParameter>(name + ".shift", width, 1)) {
  scale_->fill(1);
  for (DenseParameter* parameter : {scale_.get(), shift_.get()}) parameter->set_decays(false);
}

Tensor NormLayer::operator()(Tensor x) const {
  return layer_norm(x, read(x.tape(), scale_->view()), read(x.tape(), shift_->view()), epsilon);
}

TransformerBlock::TransformerBlock(const TransformerShape& shape, const std::string& name,
                                   const LayerSetting& setting, std::uint64_t first_number,
                                   std::uint32_t salt)
    : shape_(shape), salt_(salt) {
  const auto add = [&](const char* part, std::int64_t inputs, std::int64_t outputs) {
    affine_.emplace_back(fmt::format("{}.{}", name, part), inputs, outputs, Initialisation::glorot,
                         setting, first_number + affine_.size());
  };
  for (const char* part : {"query", "key", "value", "attention_output"})
    add(part, shape.width, shape.width);
  add("inner", shape.width, shape.inner);
  add("output", shape.inner, shape.width);
  norms_.emplace_back(name + ".attention_norm", shape.width);
  norms_.emplace_back(name + ".output_norm", shape.width);
}

Tensor TransformerBlock::attended(Tensor queries, Tensor x, const SequenceInputs& inputs,
                                  Queries which) const {
  return affine_[attention_output](attention(affine_[query](queries), affine_[key](x),
                                             affine_[value](x), inputs.sequences, shape_.heads,
                                             which));
}

Tensor TransformerBlock::transformed(Tensor x) const {
  return affine_[outer](shape_.activation(affine_[inner](x)));
}

Tensor TransformerBlock::dropped(Tensor x, const SequenceInputs& inputs,
                                 std::uint32_t which) const {
  if (!inputs.noise || shape_.dropout == 0) return x;
  return dropout(x, shape_.dropout, *inputs.noise, salt_ + which);
}

Tensor TransformerBlock::apply(Tensor x, const SequenceInputs& inputs, Queries which) const {
  std::optional<Index> first;
  if (which == Queries::of_sequences)
    first = slice(inputs.sequences.offsets, Range{.begin = 0, .rows = inputs.sequences.count});
  const auto chosen = [&](Tensor rows) { return first ? take_rows(rows, *first) : rows; };
  const Tensor from = shape_.pre_norm ? norms_[of_attention](x) : x;
  Tensor y = chosen(x) + dropped(attended(chosen(from), from, inputs, which), inputs, 0);
  if (shape_.pre_norm) return y + dropped(transformed(norms_[of_inner](y)), inputs, 1);
  y = norms_[of_attention](y);
  return norms_[of_inner](y + dropped(transformed(y), inputs, 1));
}

Tensor TransformerBlock::operator()(Tensor x, const SequenceInputs& inputs) const {
  return apply(x, inputs, Queries::of_rows);
}

Tensor TransformerBlock::first_tokens(Tensor x, const SequenceInputs& inputs) const {
  return apply(x, inputs, Queries::of_sequences);
}

}  // namespace ultr
