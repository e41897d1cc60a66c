#include "transformer_step.h"

#include <array>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "base/random.h"

namespace ultr::bench {
namespace {

const LayerSetting setting{.name = "relevance", .domain = Domain::document};

PackedSequences random_sequences(std::int64_t documents) {
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  PackedSequences packed;
  for (std::int64_t d = 0; d < documents; ++d) {
    for (std::uint32_t i = 0; i < TransformerStep::tokens_per_document; ++i) {
      packed.tokens.push_back(
          static_cast<std::uint32_t>(random.below(TransformerStep::words_known)));
      packed.places.push_back(i);
      packed.types.push_back(i / 22);
    }
    packed.offsets.push_back(static_cast<std::uint32_t>(packed.tokens.size()));
  }
  return packed;
}

/// Returns packed sequences as inputs of a tape, bound to them.
SequenceInputs bind(Tape& tape, const PackedSequences& packed) {
  const auto bound = [&](const std::vector<std::uint32_t>& values) {
    const Index index = tape.index(static_cast<std::int64_t>(values.size()));
    tape.bind(index, values);
    return index;
  };
  const auto documents = static_cast<std::int64_t>(packed.count());
  SequenceInputs inputs{.tape = &tape,
                        .tokens = bound(packed.tokens),
                        .places = bound(packed.places),
                        .types = bound(packed.types),
                        .sequences = make_segments(tape, documents + 1, documents)};
  tape.bind(inputs.sequences.offsets, packed.offsets);
  return inputs;
}

}  // namespace

TransformerShape TransformerStep::shape() {
  return {.layers = 4,
          .width = 256,
          .heads = 4,
          .inner = 1024,
          .pre_norm = false,
          .activation = transformer_activation("gelu"),
          .dropout = 0};
}

TransformerStep::TransformerStep(std::int64_t documents)
    : documents_(documents),
      packed_(random_sequences(documents)),
      encoder_(shape(), {.vocabulary = words_known, .max_tokens = tokens_per_document}, setting),
      head_("head", shape().width, 1, Initialisation::glorot, setting, encoder_.affine_layers()),
      parameters_(encoder_.dense_parameters()),
      optimizer_(AdamOptions().build()) {
  parameters_.insert(parameters_.end(), {&head_.weights(), &head_.bias()});
  optimizer_->attach(std::vector<Parameter*>(parameters_.begin(), parameters_.end()));
  const SequenceInputs inputs = bind(tape_, packed_);
  loss_ = mean(square(head_.score(encoder_.first_tokens(inputs))));
  tape_.require(std::array{loss_});
}

double TransformerStep::operator()() {
  tape_.replay();
  tape_.backward(loss_);
  optimizer_->begin_step(learning_rate);
  for (const DenseGradient& gradient : tape_.dense_gradients())
    for (DenseParameter* parameter : parameters_)
      if (&parameter->view() == gradient.parameter)
        optimizer_->update(
            *parameter,
            {static_cast<const float*>(gradient.values), parameter->all_values().size()}, 1);
  return loss_.item();
}

}  // namespace ultr::bench
