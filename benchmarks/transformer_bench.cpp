#include <algorithm>
#include <limits>
#include <vector>

#include <benchmark/benchmark.h>

#include "matrix_product.h"
#include "transformer_step.h"

/// transformer_step/<documents>: forward pass, backward pass and update of the dense parameters of
/// a cross-encoder with 4 layers, width 256, 4 heads, inner layer 1024 and 64 tokens per document,
/// compared with the fastest float matrix product (sgemm) for the shapes of its affine layers that
/// one core reaches in the same run. Counters: `flops`, of the products of affine layers and
/// attention, those that attention computes again not counted; `sgemm`, of the fastest library;
/// `ratio`, the first over the second; and the rate of every library. All are those of the fastest
/// of several runs.
namespace {

using namespace ultr;

using bench::TransformerStep;

/// Returns the products of the affine layers of a step: forward, backward for weights and backward
/// for inputs. The last block computes only keys and values of tokens after the first.
std::vector<bench::Product> affine_products(std::int64_t documents) {
  const TransformerShape shape = TransformerStep::shape();
  std::vector<bench::Product> products;
  const auto add = [&](std::int64_t rows, std::int64_t inputs, std::int64_t outputs) {
    products.push_back({rows, outputs, inputs});
    products.push_back({inputs, outputs, rows, true, false});
    products.push_back({rows, inputs, outputs, false, true});
  };
  const std::int64_t tokens = documents * TransformerStep::tokens_per_document;
  for (std::int64_t layer = 1; layer <= shape.layers; ++layer) {
    const std::int64_t rows = layer < shape.layers ? tokens : documents;
    for (int i = 0; i < 2; ++i) add(tokens, shape.width, shape.width);  // keys, values
    for (int i = 0; i < 2; ++i) add(rows, shape.width, shape.width);
    add(rows, shape.width, shape.inner);
    add(rows, shape.inner, shape.width);
  }
  return products;
}

/// Returns the operations of attention: two products of queries and tokens forward, four backward.
double attention_operations(std::int64_t documents) {
  constexpr double products = 6;
  const TransformerShape shape = TransformerStep::shape();
  const auto tokens = static_cast<double>(TransformerStep::tokens_per_document);
  const double queries = static_cast<double>(shape.layers - 1) * tokens + 1;  // of a document
  return products * static_cast<double>(documents) * 2 * queries * tokens *
         static_cast<double>(shape.width);
}

void transformer_step(benchmark::State& state) {
  const std::int64_t documents = state.range(0);
  TransformerStep step(documents);
  step();  // allocates memory, loads OpenBLAS
  double seconds = std::numeric_limits<double>::infinity();
  for (auto _ : state) seconds = std::min(seconds, bench::seconds_of([&] { step(); }));

  const std::vector<bench::Product> products = affine_products(documents);
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
