#include "libtorch/libtorch_transformer.h"

namespace ultr::bench {
namespace {

using torch::Tensor;

/// Returns a parameter's values as a tensor, transposed if asked: libtorch's layers have weights
/// [outputs, inputs].
Tensor values_of(const Parameter& parameter, bool transposed = false) {
  Tensor values =
      torch::tensor(parameter.values()).view({parameter.rows(), parameter.columns()}).squeeze(-1);
  return transposed ? values.t().contiguous() : values;
}

void set(Tensor& to, const Tensor& from) { to.set_data(from.clone()); }

void set_norm(torch::nn::LayerNorm& to, const NormLayer& from) {
  to->options.eps(NormLayer::epsilon);
  set(to->weight, values_of(from.scale()));
  set(to->bias, values_of(from.shift()));
}

void set_affine(torch::nn::Linear& to, const AffineLayer& from) {
  set(to->weight, values_of(from.weights(), true).view(to->weight.sizes()));
  set(to->bias, values_of(from.bias()).view(to->bias.sizes()));
}

void set_block(torch::nn::TransformerEncoderLayerImpl& to, const TransformerBlock& from) {
  const std::vector<AffineLayer>& affine = from.affine();
  set(to.self_attn->in_proj_weight,
      torch::cat({values_of(affine[0].weights(), true), values_of(affine[1].weights(), true),
                  values_of(affine[2].weights(), true)}));
  set(to.self_attn->in_proj_bias,
      torch::cat(
          {values_of(affine[0].bias()), values_of(affine[1].bias()), values_of(affine[2].bias())}));
  set(to.self_attn->out_proj->weight,
      values_of(affine[TransformerBlock::attention_output].weights(), true));
  set(to.self_attn->out_proj->bias, values_of(affine[TransformerBlock::attention_output].bias()));
  set_affine(to.linear1, affine[TransformerBlock::inner]);
  set_affine(to.linear2, affine[TransformerBlock::outer]);
  set_norm(to.norm1, from.norms()[TransformerBlock::of_attention]);
  set_norm(to.norm2, from.norms()[TransformerBlock::of_inner]);
}

/// Returns a column of packed sequences as [tokens, documents].
Tensor column(const std::vector<std::uint32_t>& values) {
  return torch::tensor(std::vector<std::int64_t>(values.begin(), values.end()))
      .view({-1, TransformerStep::tokens_per_document})
      .t()
      .contiguous();
}

}  // namespace

LibtorchTransformer::LibtorchTransformer(const TransformerStep& start, TableGradients gradients)
    : tokens_(column(start.sequences().tokens)),
      places_(column(start.sequences().places)),
      types_(column(start.sequences().types)),
      sparse_(gradients == TableGradients::sparse) {
  const TransformerShape shape = TransformerStep::shape();
  const TransformerEncoder& from = start.encoder();
  for (const EmbeddingTable* table : {&from.words(), &from.positions(), &from.types()})
    tables_.push_back(values_of(*table).requires_grad_());
  embedding_norm_ = torch::nn::LayerNorm(torch::nn::LayerNormOptions({shape.width}));
  set_norm(embedding_norm_, from.embedding_norm());
  const auto layer = torch::nn::TransformerEncoderLayerOptions(shape.width, shape.heads)
                         .dim_feedforward(shape.inner)
                         .dropout(0)
                         .activation(torch::kGELU);
  encoder_ =
      torch::nn::TransformerEncoder(torch::nn::TransformerEncoderOptions(layer, shape.layers));
  for (std::size_t i = 0; i < from.blocks().size(); ++i)
    set_block(encoder_->layers->at<torch::nn::TransformerEncoderLayerImpl>(i), from.blocks()[i]);
  head_ = torch::nn::Linear(shape.width, 1);
  set_affine(head_, start.head());
  for (const auto& parameters :
       {embedding_norm_->parameters(), encoder_->parameters(), head_->parameters()})
    dense_.insert(dense_.end(), parameters.begin(), parameters.end());
  adam_ = std::make_unique<torch::optim::Adam>(
      dense_, torch::optim::AdamOptions(TransformerStep::learning_rate));
}

Tensor LibtorchTransformer::loss() {
  const auto read = [&](std::size_t table, const Tensor& rows) {
    return torch::embedding(tables_[table], rows, -1, false, sparse_);
  };
  const Tensor x = embedding_norm_(read(0, tokens_) + read(1, places_) + read(2, types_));
  const Tensor hidden = encoder_(x);
  return head_(hidden.select(0, 0)).square().mean();
}

double LibtorchTransformer::operator()() {
  const Tensor loss = this->loss();
  // New gradients replace the old ones, instead of being added to zeros.
  for (std::vector<Tensor>* some : {&dense_, &tables_})
    for (Tensor& parameter : *some) parameter.mutable_grad().reset();
  loss.backward();
  adam_->step();
  return loss.item<double>();
}

}  // namespace ultr::bench
