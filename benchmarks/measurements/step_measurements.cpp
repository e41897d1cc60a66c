#include "measurements/step_measurements.h"

#include <chrono>
#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include "bare_step.h"
#include "limit.h"
#include "optim/adam.h"
#include "synthetic_sessions.h"
#include "timing.h"

namespace ultr::bench {
namespace {

/// The limit generates its data on one thread, which takes too long beyond this.
constexpr std::int64_t most_rows_of_limit = 10000000;

/// Returns the memory that the process holds, in bytes, without freed memory.
double resident_bytes() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Returns the memory that the system can still give, in bytes.
double available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double kilobytes = 0;
    if (words >> name >> kilobytes && name == "MemAvailable:") return kilobytes * 1024;
  }
  return 0;
}

/// Returns the bytes of the tables of a model of `rows` pairs while a step gives them new optimizer
/// states: all tables with states, and the largest of them twice.
double table_bytes(const std::string& type, std::int64_t rows) {
  constexpr std::int64_t few = 1000;
  const TrainableModel model = plain_model(type, few);
  AdamOptions().build()->attach(model.parameters());
  double all = 0, largest = 0;
  for (const Parameter* parameter : model.parameters())
    if (const auto* table = dynamic_cast<const EmbeddingTable*>(parameter)) {
      const double bytes =
          static_cast<double>(table->rows()) * static_cast<double>(table->bytes_per_row());
      all += bytes;
      largest = std::max(largest, bytes);
    }
  return (all + largest) * static_cast<double>(rows) / few;
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns million sessions per second, after a round that warms up. Long rounds, which are needed
/// to touch most of a large table, are timed once as a whole.
double step_speed(BareStep& step, std::int64_t rows, std::int64_t batch, double seconds) {
  const auto round = [&] {
    for (std::size_t i = 0; i < step.batches(); ++i) step();
  };
  round();
  if (synthetic_sessions(rows) == synthetic_sessions(0))
    return median_speed([&] { step(); }, static_cast<double>(batch), seconds) / 1e6;
  return static_cast<double>(step.batches()) * static_cast<double>(batch) / seconds_of(round) / 1e6;
}

/// A speed and the limit's speed.
struct Speeds {
  double value;
  std::optional<double> limit;
};

Speeds measure_step(const MeasurementPlan& plan, const TrainableModel& model,
                    const LimitStep& what) {
  const OnLastCore pinned(what.threads == 1);
  Speeds speeds{};
  {
    BareStep step(model, synthetic_shards(what.rows), what.batch, what.threads);
    speeds.value = step_speed(step, what.rows, what.batch, plan.seconds);
  }
  if (what.rows <= most_rows_of_limit)
    if (const auto limit = limit_sessions_per_second(what)) speeds.limit = *limit / 1e6;
  return speeds;
}

void measure_model(const MeasurementPlan& plan, const std::string& type, std::int64_t rows,
                   const TakeMeasurement& take) {
  const double needed = table_bytes(type, rows);
  const bool fits = needed < 0.9 * available_bytes();
  std::optional<TrainableModel> model;
  if (fits) {
    const double before = resident_bytes();
    model = plain_model(type, rows);
    AdamOptions().build()->attach(model->parameters());
    const double bytes = (resident_bytes() - before) / static_cast<double>(rows);
    // Smaller tables may reuse memory that the process held before.
    if (needed > 0 && rows >= 1000000)
      take({.what = "memory",
            .unit = "bytes per pair",
            .subject = type,
            .rows = rows,
            .value = bytes});
  } else {
    fmt::print(stderr, "{} at {} rows: too little memory\n", type, rows);
  }
  for (const std::int64_t batch : plan.batches) {
    std::optional<Speeds> one;
    for (const int threads : plan.threads) {
      Measurement step{.what = "step",
                       .unit = "M sessions/s",
                       .subject = type,
                       .batch = batch,
                       .threads = threads,
                       .rows = rows};
      Measurement scaling = step;
      if (fits) {
        const Speeds speeds = measure_step(plan, *model, {type, rows, batch, threads});
        if (threads == 1) one = speeds;
        step.value = speeds.value;
        step.limit = speeds.limit;
        if (one) scaling.value = speeds.value / one->value;
        if (one && one->limit && speeds.limit) scaling.limit = *speeds.limit / *one->limit;
      }
      take(step);
      scaling.what = "scaling";
      scaling.unit = "times one thread";
      if (threads > 1) take(scaling);
    }
  }
}

}  // namespace

void measure_steps(const MeasurementPlan& plan, const TakeMeasurement& take) {
  for (const std::int64_t rows : plan.rows) {
    synthetic_shards(rows);  // before a thread is pinned, and before memory is measured
    for (const std::string& model : plan.models) measure_model(plan, model, rows, take);
  }
}

}  // namespace ultr::bench
