#include "studies/sweep.h"

#include <map>

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "distributed/first_process.h"
#include "experiment/resolve_options.h"
#include "experiment/shared_run_directory.h"
#include "runs/results/run_results.h"
#include "studies/comparison/comparison_output.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

/// Runs that could only have the same results are a mistake, such as a comma in a title.
void expect_different_results(std::vector<PlannedRun>& runs) {
  std::map<std::pair<OptionValues, std::int64_t>, const PlannedRun*> seen;
  for (PlannedRun& run : runs) {
    const auto [same, is_new] = seen.emplace(result_identity(run.options), &run);
    if (!is_new)
      throw ConfigError(fmt::format(
          "runs {} and {} of the sweep have the same results; expected values that make a "
          "difference, and quotes around one that has a comma",
          same->second->name, run.name));
  }
}

std::vector<PlannedRun> plan(const fs::path& config, const std::vector<SweepPoint>& grid,
                             Registry& registry) {
  std::vector<PlannedRun> runs;
  for (const SweepPoint& point : grid) {
    PlannedRun& run = runs.emplace_back(
        PlannedRun{point.name, point.folder, resolve_options(config, point.overrides, registry)});
    run.options.locate_files(config.parent_path());
  }
  expect_different_results(runs);
  return runs;
}

/// Compares all runs of a sweep; the exit code.
int compare_all(const std::vector<PlannedRun>& runs, const fs::path& sweep, std::size_t failed) {
  std::vector<fs::path> folders;
  for (const PlannedRun& run : runs) folders.push_back(sweep / run.folder);
  const Comparison comparison =
      compare(read_runs(folders), {.refuse_different_queries = false, .require_metrics = false});
  write_comparison(comparison, sweep);
  print_to(stdout, "\n{}", comparison_text(comparison));
  print_to(stdout, "comparison in {}\n", (sweep / "comparison.html").string());
  if (failed == 0) return 0;
  log().error("error: {} of {} runs failed", failed, runs.size());
  return 1;
}

}  // namespace

int run_sweep(const fs::path& config, const std::vector<SweepPoint>& grid, Registry& registry,
              Communicator* processes) {
  std::vector<PlannedRun> runs;
  run_in_all_processes(processes, [&] { runs = plan(config, grid, registry); });
  RunDirectory folder = make_for_all(processes, [&] {
    const ExperimentOptions& first = runs.front().options;
    return RunDirectory(first.output, first.name);
  });
  const std::size_t failed = run_planned(runs, folder, {.processes = processes});
  return run_in_first_process(processes, [&] { return compare_all(runs, folder.path(), failed); });
}

int resume_sweep(const fs::path& sweep, Registry& registry, Communicator* processes) {
  RunDirectory folder = make_for_all(processes, [&] { return RunDirectory::of_run(sweep); });
  std::vector<PlannedRun> runs;
  run_in_all_processes(processes, [&] { runs = planned_before(sweep, registry); });
  const std::size_t failed = run_planned(runs, folder, {.processes = processes});
  return run_in_first_process(processes, [&] { return compare_all(runs, folder.path(), failed); });
}

void print_sweep(const fs::path& config, const std::vector<SweepPoint>& grid, Registry& registry) {
  std::vector<PlannedRun> runs = plan(config, grid, registry);
  const RunDirectory usable(runs.front().options.output, runs.front().options.name);
  print_planned(runs);
}

}  // namespace ultr
