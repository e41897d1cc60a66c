#include "experiment/sweep.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include <fmt/core.h>
#include <tbb/global_control.h>

#include "experiment/compare_runs.h"
#include "experiment/comparison_output.h"
#include "experiment/log.h"
#include "experiment/progress.h"
#include "experiment/run_results.h"
#include "experiment/single_run.h"
#include "options/config_tree.h"
#include "options/write.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// One run of the sweep, checked.
struct PlannedRun {
  const SweepPoint* point;
  ExperimentOptions options;
  std::string data;  // runs with equal text have the same data
};

std::string data_identity(const ExperimentOptions& options) {
  const auto& data = options.data.as<DataOptions>();
  std::string text = options.data.type + "\n" + write_options(*options.data.options);
  if (data.depends_on_seed()) text += fmt::format("seed: {}\n", options.seed);
  return text;
}

/// Runs that could only have the same results are a mistake, such as a comma in a title.
void expect_different(std::vector<PlannedRun>& runs) {
  std::map<std::pair<OptionValues, std::int64_t>, const PlannedRun*> seen;
  for (PlannedRun& run : runs) {
    const ConfigNode config = parse_config(saved_config(run.options), "configuration");
    const auto [same, is_new] =
        seen.emplace(std::pair(result_options(config), run.options.seed), &run);
    if (!is_new)
      throw ConfigError(fmt::format(
          "runs {} and {} of the sweep have the same results; expected values that make a "
          "difference, and quotes around one that has a comma",
          same->second->point->name, run.point->name));
  }
}

std::vector<PlannedRun> plan(const fs::path& config, const std::vector<SweepPoint>& grid,
                             Registry& registry) {
  std::vector<PlannedRun> runs;
  for (const SweepPoint& point : grid) {
    PlannedRun& run = runs.emplace_back(
        PlannedRun{&point, resolve_options(config, point.overrides, registry), {}});
    run.options.locate_files(config.parent_path());
    run.data = data_identity(run.options);
  }
  expect_different(runs);
  return runs;
}

/// The numbers of the runs in the order in which they are done: those with the same data together.
std::vector<std::size_t> order_by_data(const std::vector<PlannedRun>& runs) {
  std::vector<std::size_t> order;
  std::vector<std::uint8_t> taken(runs.size());
  for (std::size_t first = 0; first < runs.size(); ++first)
    for (std::size_t r = first; r < runs.size(); ++r) {
      if (taken[first] != 0 && r == first) break;
      if (taken[r] != 0 || runs[r].data != runs[first].data) continue;
      taken[r] = 1;
      order.push_back(r);
    }
  return order;
}

/// Runs a sweep whose configurations are right.
class Sweep {
 public:
  Sweep(std::vector<PlannedRun> runs, RunDirectory folder)
      : runs_(std::move(runs)), folder_(std::move(folder)) {}

  int run() {
    const std::vector<std::size_t> order = order_by_data(runs_);
    load(runs_[order.front()]);  // wrong data are an error as long as nothing is created
    folder_.create();
    for (std::size_t done = 0; done < order.size(); ++done) {
      announce(runs_[order[done]], done);
      run_one(runs_[order[done]]);
    }
    return compare_all();
  }

 private:
  void load(const PlannedRun& run) {
    if (data_ && loaded_ == run.data) return;
    data_.reset();  // before there is more
    data_ = load_data(run.options);
    loaded_ = run.data;
  }

  fs::path folder_of(const PlannedRun& run) const { return folder_.path() / run.point->folder; }

  void announce(const PlannedRun& run, std::size_t done) const {
    const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::string left =
        done == 0 ? ""
                  : fmt::format(", about {} left",
                                format_duration(spent / static_cast<double>(done) *
                                                static_cast<double>(runs_.size() - done)));
    fmt::print("\nrun {} of {}: {}{}\n", done + 1, runs_.size(), run.point->name, left);
    std::fflush(stdout);
  }

  void run_one(PlannedRun& run) {
    const RunDirectory folder(folder_of(run).string(), run.options.name);
    try {
      load(run);
      train_and_evaluate(run.options, *data_, folder);
    } catch (const std::exception& error) {
      ++failed_;
      log().error("error: {}: {}", run.point->name, error.what());
      fs::create_directories(folder.path());  // if it came to nothing before
      folder.write("config.yaml", saved_config(run.options));
      folder.write(failure_file, std::string(error.what()) + "\n");
    }
  }

  int compare_all() const {
    std::vector<fs::path> folders;
    for (const PlannedRun& run : runs_) folders.push_back(folder_of(run));
    const Comparison comparison = compare(read_runs(folders), {.refuse_different_queries = false});
    write_comparison(comparison, folder_.path());
    fmt::print("\n{}", comparison_text(comparison));
    fmt::print("comparison in {}\n", (folder_.path() / "comparison.html").string());
    if (failed_ == 0) return 0;
    log().error("error: {} of {} runs failed", failed_, runs_.size());
    return 1;
  }

  std::vector<PlannedRun> runs_;
  RunDirectory folder_;
  std::optional<ExperimentData> data_;
  std::string loaded_;
  std::size_t failed_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

int run_sweep(const fs::path& config, const std::vector<SweepPoint>& grid, Registry& registry) {
  std::vector<PlannedRun> runs = plan(config, grid, registry);
  const ExperimentOptions& first = runs.front().options;
  RunDirectory folder(first.output, first.name);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(count_threads(first)));
  return Sweep(std::move(runs), std::move(folder)).run();
}

void print_sweep(const fs::path& config, const std::vector<SweepPoint>& grid, Registry& registry) {
  std::vector<PlannedRun> runs = plan(config, grid, registry);
  const RunDirectory usable(runs.front().options.output, runs.front().options.name);
  for (PlannedRun& run : runs)
    fmt::print("---\n# {}\n{}", run.point->name, write_options(run.options));
}

}  // namespace ultr
