#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "autograd/ops/slice.h"
#include "autograd/ops/take_rows.h"
#include "base/random.h"
#include "layers/transformer_encoder.h"
#include "matrix_product.h"
#include "optim/optim.h"

/// transformer_step/<documents>: forward pass, backward pass and update of the dense parameters of
/// a cross-encoder with 4 layers, width 256, 4 heads, inner layer 1024 and 64 tokens per document,
/// compared with the fastest float matrix product (sgemm) for the shapes of its affine layers that
/// one core reaches in the same run. Counters: `flops`, of the products of affine layers and
/// attention, those that attention computes again not counted; `sgemm`, of the fastest library;
/// `ratio`, the first over the second; and the rate of every library. All are those of the fastest
/// of several runs.
namespace {

using namespace ultr;

constexpr std::int64_t tokens_per_document = 64, words_known = 20000;

TransformerShape shape_of_step() {
  return {.layers = 4,
          .width = 256,
          .heads = 4,
          .inner = 1024,
          .pre_norm = false,
          .activation = transformer_activation("gelu"),
          .dropout = 0};
}

/// Returns the products of the affine layers of a step: forward, backward for weights and backward
/// for inputs.
std::vector<bench::Product> affine_products(std::int64_t tokens) {
  const TransformerShape shape = shape_of_step();
  std::vector<bench::Product> products;
  const auto add = [&](std::int64_t inputs, std::int64_t outputs) {
    products.push_back({tokens, outputs, inputs});
    products.push_back({inputs, outputs, tokens, true, false});
    products.push_back({tokens, inputs, outputs, false, true});
  };
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    for (int i = 0; i < 4; ++i) add(shape.width, shape.width);
    add(shape.width, shape.inner);
    add(shape.inner, shape.width);
  }
  return products;
}

/// Returns the operations of attention: two products of queries and tokens forward, four backward.
double attention_operations(std::int64_t documents) {
  constexpr double products = 6;
  const TransformerShape shape = shape_of_step();
  const auto n = static_cast<double>(tokens_per_document);
  return products * static_cast<double>(documents * shape.layers) * 2 * n * n *
         static_cast<double>(shape.width);
}

/// Sequences of random tokens, bound to a tape.
class Sequences {
 public:
  Sequences(Tape& tape, std::int64_t documents) {
    RandomStream random(1, RandomPurpose::testing, 0, 0);
    for (std::int64_t d = 0; d < documents; ++d) {
      for (std::uint32_t i = 0; i < tokens_per_document; ++i) {
        packed_.tokens.push_back(static_cast<std::uint32_t>(random.below(words_known)));
        packed_.places.push_back(i);
        packed_.types.push_back(i / 22);
      }
      packed_.offsets.push_back(static_cast<std::uint32_t>(packed_.tokens.size()));
    }
    const auto bound = [&](const std::vector<std::uint32_t>& values) {
      const Index index = tape.index(static_cast<std::int64_t>(values.size()));
      tape.bind(index, values);
      return index;
    };
    inputs_ = {.tape = &tape,
               .tokens = bound(packed_.tokens),
               .places = bound(packed_.places),
               .types = bound(packed_.types),
               .sequences = make_segments(tape, documents + 1, documents)};
    tape.bind(inputs_.sequences.offsets, packed_.offsets);
  }
  const SequenceInputs& inputs() const { return inputs_; }

 private:
  PackedSequences packed_;
  SequenceInputs inputs_;
};

void transformer_step(benchmark::State& state) {
  const std::int64_t documents = state.range(0), tokens = documents * tokens_per_document;
  const TransformerShape shape = shape_of_step();
  const LayerSetting setting{.name = "relevance", .domain = Domain::document};
  const TransformerEncoder encoder(
      shape, {.vocabulary = words_known, .max_tokens = tokens_per_document}, setting);
  const AffineLayer head("head", shape.width, 1, Initialisation::glorot, setting, 100);
  std::vector<Parameter*> parameters;
  for (DenseParameter* parameter : encoder.dense_parameters()) parameters.push_back(parameter);
  const auto optimizer = AdamOptions().build();
  optimizer->attach(parameters);

  Tape tape;
  const Sequences sequences(tape, documents);
  const Index first = slice(sequences.inputs().sequences.offsets,
                            Range{.begin = 0, .rows = documents, .within = {}});
  const Tensor hidden = encoder(sequences.inputs());
  const Tensor loss = mean(square(head.score(take_rows(hidden, first))));
  tape.require(std::array{loss});
  const auto step = [&] {
    tape.replay();
    tape.backward(loss);
    optimizer->begin_step(1e-4);
    for (const DenseGradient& gradient : tape.dense_gradients())
      for (Parameter* parameter : parameters) {
        if (&parameter->view() != gradient.parameter) continue;
        auto& dense = static_cast<DenseParameter&>(*parameter);
        optimizer->update(
            dense, {static_cast<const float*>(gradient.values), dense.all_values().size()}, 1);
      }
  };
  step();  // allocates memory, loads OpenBLAS
  double seconds = std::numeric_limits<double>::infinity();
  for (auto _ : state) seconds = std::min(seconds, bench::seconds_of(step));

  const std::vector<bench::Product> products = affine_products(tokens);
  double affine = 0;
  for (const bench::Product& product : products) affine += product.operations();
  double fastest = 0;
  for (const bench::Library& library : bench::libraries()) {
    const double measured = affine / bench::seconds_for(library, products);
    state.counters[library.name] = measured;
    fastest = std::max(fastest, measured);
  }
  const double rate = (affine + attention_operations(documents)) / seconds;
  state.counters["flops"] = rate;
  state.counters["sgemm"] = fastest;
  state.counters["ratio"] = rate / fastest;
}
BENCHMARK(transformer_step)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
