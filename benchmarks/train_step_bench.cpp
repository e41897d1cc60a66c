#include <chrono>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "bare_step.h"
#include "commands/built_in_registry.h"
#include "limit.h"
#include "models/models.h"
#include "synthetic_sessions.h"
#include "training/fitters.h"

/// train_step/<model>/<rows>/<batch>: forward pass, backward pass and update on packed sessions of
/// ten documents, with lazy Adam without decay and tables without a baseline, on one thread.
/// Counters: `sessions_per_second`, and `ratio_to_limit`, the step's time over that of the
/// hand-fused program on the same step in the same run.
namespace {

using namespace ultr;

void train_step(benchmark::State& state, const std::string& model_type, std::int64_t rows,
                std::int64_t batch) {
  const TrainableModel model = bench::plain_model(model_type, rows);
  bench::BareStep step(model, bench::synthetic_shards(rows), batch, 1);
  for (std::size_t i = 0; i < step.batches(); ++i) step();  // a round to warm up
  const auto limit = bench::limit_sessions_per_second({model_type, rows, batch});

  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) step();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double speed =
      static_cast<double>(state.iterations()) * static_cast<double>(batch) / seconds;
  state.counters["sessions_per_second"] = speed;
  if (limit) {
    state.counters["limit_sessions_per_second"] = *limit;
    state.counters["ratio_to_limit"] = *limit / speed;
  }
}

void add(const std::string& model, std::int64_t rows, std::int64_t batch) {
  const std::string name =
      "train_step/" + model + "/" + std::to_string(rows) + "/" + std::to_string(batch);
  benchmark::RegisterBenchmark(name.c_str(), train_step, model, rows, batch);
}

/// fit/<how>/<model>/<rows>: passes over a log of the synthetic sessions as `ultr-run` makes them,
/// including packing and shuffling: by Adam in batches of 512, or by EM. One thread.
void fit(benchmark::State& state, const std::string& how, const std::string& model_type,
         std::int64_t rows) {
  const SessionLog& log = bench::synthetic_log(rows);
  const TrainableModel model = bench::plain_model(model_type, rows);
  const Registry registry = built_in_registry();
  const Choice choice(registry.optimizers(), how);
  const TrainOptions options;
  const auto fitter =
      make_fitter(choice.as<FitOptions>(), {.model = model, .train = log, .options = options});
  std::int64_t epoch = 0;
  fitter->pass(++epoch, {});
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) fitter->pass(++epoch, {});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  state.counters["sessions_per_second"] =
      static_cast<double>(state.iterations()) * static_cast<double>(log.sessions()) / seconds;
}

/// Registers the models that the limit supports over several sizes, and every model at one size, to
/// compare the cost of a step with PBM's. (`drctr` has a table of rows times ranks.)
const bool training_steps_registered = [] {
  for (const char* model : {"pbm", "ubm", "dbn"})
    for (const std::int64_t rows : {100000, 1000000, 10000000})
      for (const std::int64_t batch : {512, 4096}) add(model, rows, batch);
  for (const ModelType& model : model_types())
    if (model.name != "pbm" && model.name != "ubm" && model.name != "dbn" &&
        bench::plain_model(model.name, 2).signals().empty())
      add(model.name, 1000000, 512);
  for (const char* model : {"pbm", "ubm", "dbn", "ccm"})
    for (const char* how : {"adam", "em"}) {
      const std::string name = fmt::format("fit/{}/{}/1000000", how, model);
      benchmark::RegisterBenchmark(name.c_str(), fit, how, model, 1000000);
    }
  return true;
}();

}  // namespace
