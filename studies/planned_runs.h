#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/communicator.h"
#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "experiment/registry.h"
#include "experiment/run_directory.h"
#include "runs/results/run_results.h"
#include "training/training.h"

/// Runs several configurations, each in a folder of its own. Sweeps and studies do so.
namespace ultr {

/// In the folder of a sweep: the names of its runs' folders, one per line.
inline constexpr const char* sweep_file = "sweep.txt";

/// One run of several, its configuration resolved and its files located.
struct PlannedRun {
  std::string name;              // for messages
  std::filesystem::path folder;  // within that of all
  ExperimentOptions options;
};

/// Returns the options and the seed that decide the results of a run.
std::pair<OptionValues, std::int64_t> result_identity(ExperimentOptions& options);

/// Returns the runs that the sweep_file of a folder lists. Throws DataError if it cannot be read,
/// and ConfigError for a wrong configuration.
std::vector<PlannedRun> planned_before(const std::filesystem::path& folder, Registry& registry);

/// Called when the folder is there, before the first run.
using FolderCreated = std::function<void(const RunDirectory&)>;

/// Observes planned runs, which then print nothing themselves. Calls come from several threads.
class PlannedRunObserver {
 public:
  virtual ~PlannedRunObserver() = default;
  virtual void epoch(const PlannedRun& run, const EpochResult& result) = 0;
  /// Called when a run has ended; `failure` says why it failed, or is empty.
  virtual void end(const PlannedRun& run, const std::string& failure) = 0;
};

/// Settings of run_planned.
struct PlannedRunSetting {
  FolderCreated created{};
  /// The data of all runs; null: they are loaded.
  const ExperimentData* data = nullptr;
  /// Largest number of runs at the same time, at least 1. More than one need `data` and an
  /// observer. Their results are the same, except for times and memory.
  std::size_t at_once = 1;
  PlannedRunObserver* observer = nullptr;  // may be null
  /// The processes that do the runs; null: this one alone. All must call run_planned, with the same
  /// runs. Each does every n-th run that is to do, by itself, and loads the data that it needs.
  /// Several need `at_once` to be 1 and no observer.
  Communicator* processes = nullptr;
};

/// Does those of the runs, one at least, that have neither results nor failed.txt, each in its own
/// folder, with the threads of the first. Runs resume at their newest checkpoint. Runs with the
/// same data share it, and those with the same made-up lists make them once; of several kinds, one
/// is in memory at a time. A run that fails says
/// why in its failed.txt, and the others go on. Returns how many have failed, now or before. Throws
/// DataError for wrong data before the first run, and Interrupted, after a checkpoint of the runs
/// that it stops, if SIGINT or SIGTERM comes (to any of several processes).
std::size_t run_planned(std::vector<PlannedRun>& runs, RunDirectory& folder,
                        const PlannedRunSetting& setting = {});

/// Prints the resolved configurations, each behind a comment that names it.
void print_planned(std::vector<PlannedRun>& runs);

}  // namespace ultr
