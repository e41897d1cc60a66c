#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fmt/core.h>

#include "arguments.h"
#include "bare_step.h"
#include "base/error.h"
#include "measurements/contention.h"
#include "measurements/file_measurements.h"
#include "measurements/measurement_table.h"
#include "measurements/model_measurements.h"
#include "measurements/network.h"
#include "measurements/step_measurements.h"
#include "measurements/tree_measurements.h"
#include "models/models.h"
#include "timing.h"

/// Measures the speed and memory of ultr and prints one table, which docs/benchmarks.md explains.
///
///     build/release/benchmarks/speed_table [--help]
namespace {

using namespace ultr;
using namespace ultr::bench;

struct Part {
  const char* name;
  void (*measure)(const MeasurementPlan& plan, const TakeMeasurement& take);
};
/// All parts of the table.
constexpr std::array parts = {
    Part{"step", measure_steps},
    Part{"contention", measure_contention},
    Part{"network", measure_network},
    Part{"evaluation", measure_evaluation},
    Part{"sampling", measure_sampling},
    Part{"em", measure_em},
    Part{"conversion", measure_conversion},
    Part{"table", measure_tables},
    Part{"commands", measure_commands},
    Part{"simulation", measure_simulation},
    Part{"trees", measure_trees},
};

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const Part& part : parts) names.emplace_back(part.name);
  return names;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelType& model : model_types())
    if (bench::plain_model(model.name, 2).signals().empty()) names.push_back(model.name);
  return names;
}

/// Returns 1, 2, 4, ... up to the machine's number of threads, at most 16.
std::vector<int> all_threads() {
  std::vector<int> threads = {1};
  while (threads.back() < 16 &&
         2 * threads.back() <= static_cast<int>(std::thread::hardware_concurrency()))
    threads.push_back(2 * threads.back());
  return threads;
}

struct Arguments {
  MeasurementPlan plan{.models = model_names(),
                       .rows = {100000, 1000000, 10000000, 100000000},
                       .batches = {512},
                       .threads = all_threads()};
  std::vector<std::string> parts = part_names();
  std::string json;

  void add_to(CLI::App& app) {
    // A batch needs at least one shard per thread.
    if (plan.threads.back() > 2) plan.batches.push_back(4096);
    app.add_option("--parts", parts, "Parts of the table to measure")
        ->delimiter(',')
        ->check(CLI::IsMember(part_names()));
    app.add_option("--models", plan.models, "Click models")
        ->delimiter(',')
        ->check(CLI::IsMember(model_names()));
    app.add_option("--rows", plan.rows, "Query-document pairs")
        ->delimiter(',')
        ->check(CLI::Range(1000, 1000000000));
    add_step_arguments(app, plan.batches, plan.threads, plan.seconds);
    app.add_option("--json", json, "File to also write the measurements to, as JSON");
  }
};

std::vector<Measurement> run(Arguments& arguments) {
  std::sort(arguments.plan.rows.begin(), arguments.plan.rows.end());
  std::sort(arguments.plan.threads.begin(), arguments.plan.threads.end());
  start_threads();
  std::vector<Measurement> measurements;
  for (const Part& part : parts)
    if (std::find(arguments.parts.begin(), arguments.parts.end(), part.name) !=
        arguments.parts.end())
      part.measure(arguments.plan, [&](const Measurement& measurement) {
        fmt::print(stderr, "{}\n", line_of(measurement));
        measurements.push_back(measurement);
      });
  return measurements;
}

}  // namespace

int main(int argc, char** argv) try {
  Arguments arguments;
  CLI::App app("Measures the speed of ultr.");
  arguments.add_to(app);
  CLI11_PARSE(app, argc, argv);
  std::ofstream json;
  if (!arguments.json.empty()) {
    json.open(arguments.json);
    if (!json) throw Error(arguments.json + ": cannot be written");
  }

  const std::vector<Measurement> measurements = run(arguments);
  fmt::print(
      "10 documents per session; columns: query-document pairs{}\n\n{}",
      std::getenv("ULTR_LIMIT") == nullptr ? "" : "; in parentheses: the limit's speed over ours",
      markdown_table(measurements));
  json << json_text(measurements) << std::flush;
  if (!arguments.json.empty() && !json) throw Error(arguments.json + ": cannot be written");
} catch (const std::exception& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  return 1;
}
