#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "autograd/ops/activations.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reductions.h"
#include "autograd/tape/tape.h"
#include "base/random.h"
#include "layers/mlp_tower.h"
#include "matrix_product.h"
#include "optim/optim.h"

/// mlp_step/<batch>: forward pass, backward pass and update of an MLP 136-512-256-128-1 with relu,
/// compared with the fastest float matrix product (sgemm) for its shapes that one core reaches in
/// the same run. Counters: `flops`, of the step's products; `sgemm`, of the fastest library;
/// `ratio`, the first over the second; and the rate of every library. All are those of the fastest
/// of several runs.
namespace {

using namespace ultr;

constexpr std::int64_t features = 136;
const std::vector<std::int64_t> widths = {512, 256, 128};

/// Returns the matrix products of a step: forward, backward for weights and, except for the
/// features, backward for inputs. Products with a single column do not count.
std::vector<bench::Product> products_of_step(std::int64_t batch) {
  std::vector<bench::Product> products;
  std::int64_t inputs = features;
  for (const std::int64_t width : widths) {
    products.push_back({batch, width, inputs});
    products.push_back({inputs, width, batch, true, false});
    if (inputs != features) products.push_back({batch, inputs, width, false, true});
    inputs = width;
  }
  return products;
}

class BatchInputs final : public Inputs {
 public:
  BatchInputs(Tape& tape, Tensor features) : tape_(tape), features_(features) {}
  Tape& tape() const override { return tape_; }
  Index index(Domain) const override { return {}; }
  Tensor features(Domain) const override { return features_; }

 private:
  Tape& tape_;
  Tensor features_;
};

void mlp_step(benchmark::State& state) {
  const std::int64_t batch = state.range(0);
  MlpTower tower(
      {.widths = widths},
      {.name = "relevance", .domain = Domain::document, .entries = batch, .features = features});
  const auto optimizer = AdamOptions().build();
  optimizer->attach(tower.parameters());

  std::vector<double> numbers(static_cast<std::size_t>(batch * features));
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  for (double& x : numbers) x = random.normal();
  Tape tape;
  const Tensor x = tape.constant(Shape::matrix(batch, features), numbers);
  const BatchInputs inputs(tape, x);
  const Tensor loss = mean(square(tower.logits(inputs).values));
  tape.require(std::array{loss});

  const std::vector<Parameter*> parameters = tower.parameters();
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

  const std::vector<bench::Product> products = products_of_step(batch);
  double operations = 0;
  for (const bench::Product& product : products) operations += product.operations();
  const double rate = operations / seconds;
  double fastest = 0;
  for (const bench::Library& library : bench::libraries()) {
    const double measured = operations / bench::seconds_for(library, products);
    state.counters[library.name] = measured;
    fastest = std::max(fastest, measured);
  }
  state.counters["flops"] = rate;
  state.counters["sgemm"] = fastest;
  state.counters["ratio"] = rate / fastest;
}
BENCHMARK(mlp_step)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
