#include "studies/planned_runs.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>

#include <fmt/core.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/threads/thread_limit.h"
#include "experiment/resolve_options.h"
#include "options/write.h"
#include "runs/run_analysis.h"
#include "runs/run_inputs.h"
#include "runs/train_run.h"
#include "training/run_checkpoints.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string data_identity(const ExperimentOptions& options) {
  if (options.analysis) return "";
  const auto& data = options.data.as<DataOptions>();
  std::string text = options.data.type + "\n" + write_options(*options.data.options);
  if (data.depends_on_seed()) text += fmt::format("seed: {}\n", options.seed);
  return text;
}

bool folder_has(const fs::path& folder, const char* file) {
  std::error_code ignored;
  return fs::exists(folder / file, ignored);
}

/// Executes planned runs that are not done yet.
class PlannedRuns {
 public:
  PlannedRuns(std::vector<PlannedRun>& runs, RunDirectory& folder, const FolderCreated& created)
      : runs_(runs), folder_(folder), created_(created) {}

  std::size_t run() {
    std::vector<std::string> data;             // equal for runs with the same data
    std::map<std::string, std::size_t> first;  // that has these data
    std::vector<std::size_t> order;            // runs with the same data together
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      data.push_back(data_identity(runs_[r].options));
      const fs::path folder = folder_of(runs_[r]);
      if (folder_has(folder, results_file) || folder_has(folder, failure_file)) continue;
      first.emplace(data[r], r);
      order.push_back(r);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t r) { return first.at(data[r]); });
    if (!order.empty())  // wrong data: as long as nothing is created
      load(runs_[order.front()], data[order.front()]);
    folder_.create();
    prepare();
    for (std::size_t number = 0; number < order.size(); ++number) {
      announce(runs_[order[number]], number, order.size());
      run_one(runs_[order[number]], data[order[number]]);
    }
    return static_cast<std::size_t>(std::ranges::count_if(
        runs_, [&](const PlannedRun& run) { return folder_has(folder_of(run), failure_file); }));
  }

 private:
  void load(const PlannedRun& run, const std::string& identity) {
    if (run.options.analysis || (data_ && loaded_ == identity)) return;
    data_.reset();  // before there is more
    data_ = load_data(run.options);
    loaded_ = identity;
  }

  fs::path folder_of(const PlannedRun& run) const { return folder_.path() / run.folder; }

  /// Saves the configurations of all runs, so that a sweep that stops can be resumed.
  void prepare() {
    if (folder_has(folder_.path(), sweep_file)) return;
    std::string names;
    for (PlannedRun& run : runs_) {
      std::error_code error;
      fs::create_directories(folder_of(run), error);
      if (error)
        throw ConfigError(
            fmt::format("{}: cannot be created ({})", folder_of(run).string(), error.message()));
      write_file(folder_of(run) / config_file, saved_config(run.options));
      names += run.folder.string() + "\n";
    }
    if (created_) created_(folder_);
    folder_.write(sweep_file, names);
  }

  void announce(const PlannedRun& run, std::size_t done, std::size_t all) const {
    const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::string left =
        done == 0
            ? ""
            : fmt::format(", about {} left", format_duration(spent / static_cast<double>(done) *
                                                             static_cast<double>(all - done)));
    print_to(stdout, "\nrun {} of {}: {}{}\n", done + 1, all, run.name, left);
    std::fflush(stdout);
  }

  void run_one(PlannedRun& run, const std::string& identity) {
    RunDirectory folder = RunDirectory::of_run(folder_of(run));
    const bool resumes = has_checkpoints(folder.path());
    std::optional<StopSignals> signals;  // there is nothing to save before training
    const auto stopping = [&] { return signals && signals->received() != 0; };
    try {
      if (run.options.analysis) {
        run_analysis(run.options, folder);
        return;
      }
      load(run, identity);
      train_and_evaluate(run.options, *data_, folder,
                         {.stop = [&] { return signals->received(); },
                          .starts = [&] { signals.emplace(); },
                          .resume = resumes});
    } catch (const Interrupted&) {
    } catch (const std::exception& error) {
      // A run that cannot go on, or be saved, has not failed: its checkpoints may yet be used.
      const bool wrong_files = dynamic_cast<const DataError*>(&error) != nullptr ||
                               dynamic_cast<const ConfigError*>(&error) != nullptr;
      if (wrong_files && (resumes || stopping())) throw;
      log().error("error: {}: {}", run.name, error.what());
      folder.write(failure_file, std::string(error.what()) + "\n");
    }
    if (stopping()) throw Interrupted(signals->received(), folder_.path());
  }

  std::vector<PlannedRun>& runs_;
  RunDirectory& folder_;
  const FolderCreated& created_;
  std::optional<ExperimentData> data_;
  std::string loaded_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

std::pair<OptionValues, std::int64_t> result_identity(ExperimentOptions& options) {
  const ConfigNode config = parse_config(saved_config(options), "configuration");
  return {result_options(config), options.seed};
}

std::vector<PlannedRun> planned_before(const fs::path& sweep, Registry& registry) {
  std::vector<PlannedRun> runs;
  std::ifstream list(sweep / sweep_file);
  for (std::string name; std::getline(list, name);) {
    PlannedRun& run =
        runs.emplace_back(PlannedRun{name, name, resolve_saved_options(sweep / name, registry)});
    run.options.locate_files(sweep / name);
  }
  if (runs.empty())
    throw DataError(fmt::format("{}: cannot be read; expected the names of a sweep's runs",
                                (sweep / sweep_file).string()));
  return runs;
}

std::size_t run_planned(std::vector<PlannedRun>& runs, RunDirectory& folder,
                        const FolderCreated& created) {
  const ThreadLimit limit(count_threads(runs.front().options));
  return PlannedRuns(runs, folder, created).run();
}

void print_planned(std::vector<PlannedRun>& runs) {
  for (const PlannedRun& run : runs)
    if (!run.options.analysis) expect_trainable(run.options);
  for (PlannedRun& run : runs)
    print_to(stdout, "---\n# {}\n{}", run.name, write_options(run.options));
}

}  // namespace ultr
