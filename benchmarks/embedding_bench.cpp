#include <benchmark/benchmark.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reductions.h"
#include "autograd/tape/tape.h"
#include "optim/optim.h"
#include "synthetic_sessions.h"

/// embedding_round/<rows>: the cost of a table in a step of 512 sessions. A round gathers the
/// table's rows, sends gradients back, sums them in the records and updates the records by lazy
/// Adam.
namespace {

using namespace ultr;

void embedding_round(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  const std::vector<Shard>& shards = bench::synthetic_shards(rows);
  EmbeddingTable table("attraction", rows, 1);
  const auto optimizer = AdamOptions().build();
  Parameter* parameter = &table;
  optimizer->attach(std::span(&parameter, 1));
  Tape tape;
  const Extent documents = tape.extent(shard_sessions * bench::list_length);
  const Index index = tape.index(documents);
  const Tensor loss = sum(square(gather(tape, table.view(), index) - 1));
  tape.require(std::array{loss});

  std::size_t next = 0, done = 0;
  for (auto _ : state) {
    if (next + 2 > shards.size()) next = 0;
    optimizer->begin_step(0.01);
    for (std::size_t s = next; s < next + 2; ++s) {
      tape.bind(documents, static_cast<std::int64_t>(shards[s].documents()));
      tape.bind(index, shards[s].rows());
      tape.replay();
      tape.backward(loss);
      const SparseGradient& gradient = tape.sparse_gradients().front();
      table.add_gradients(gradient.rows, static_cast<const float*>(gradient.values), {});
    }
    for (std::size_t s = next; s < next + 2; ++s) {
      optimizer->update_rows(table, shards[s].rows(), 1, {});
      done += shards[s].documents();
    }
    next += 2;
  }
  state.counters["rows_per_second"] =
      benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate);
}
BENCHMARK(embedding_round)->Arg(100000)->Arg(1000000)->Arg(10000000);

}  // namespace
