#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <tuple>
#include <vector>

#include "base/stop_signals.h"
#include "distributed/communicator.h"
#include "training/checkpoint.h"

namespace ultr {

/// The subfolder of a run that holds its checkpoints until the run has finished. Files are named
/// <number>.checkpoint; the newest has the largest number.
inline constexpr const char* checkpoint_folder = "checkpoints";

/// Returns true if a run has left checkpoints, usable or not.
bool has_checkpoints(const std::filesystem::path& run);

/// The checkpoints of a run: decides when to write them, which to keep and from which one to
/// resume. If several processes train a model together, each writes a part with its rows of the
/// tables. Processes other than the first write into folders of their own, rank_1 and so on. All
/// processes call the same functions together. The first one's clock and list of checkpoints count
/// for all; a signal to any of them stops all.
class RunCheckpoints {
 public:
  /// `parameters` are all parameters of the model and must outlive this object. `processes` are the
  /// processes that train the model (ModelSetting), null if there is one. Creates no files. Throws
  /// ConfigError as CheckpointOptions::interval does.
  RunCheckpoints(std::filesystem::path run, const CheckpointOptions& options, RunFingerprint owner,
                 std::vector<Parameter*> parameters, StopRequest stop,
                 Communicator* processes = nullptr);
  ~RunCheckpoints();
  RunCheckpoints(const RunCheckpoints&) = delete;
  RunCheckpoints& operator=(const RunCheckpoints&) = delete;

  /// Returns the newest intact checkpoint, to resume from. Warns about damaged newer ones, which
  /// the next write deletes. Throws DataError if none is intact or the data have changed,
  /// ConfigError if the number of processes or an option that results depend on has changed.
  Checkpoint newest();
  /// Writes a checkpoint if one is due. A failed write is only a warning, since training can
  /// continue. If the run is to stop, makes sure that this moment has a checkpoint and throws
  /// Interrupted, or DataError if the checkpoint cannot be written.
  void operator()(const TrainingState& state);
  /// Deletes all checkpoints of the run. Best effort: errors are ignored.
  void remove_all() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// Stage, epochs, steps and sessions of a state; two are equal only if the whole states are.
  using Moment = std::tuple<std::size_t, std::size_t, std::int64_t, std::uint64_t>;

  static Moment moment_of(const TrainingState& state);
  bool due(const TrainingState& state) const;
  void write(const TrainingState& state);
  void expect_same_run(const Checkpoint& checkpoint) const;
  int process_count() const { return count_processes(processes_); }
  std::filesystem::path file_of(std::int64_t number) const;
  /// Reads this process's part of checkpoint `number`. Throws in all processes alike: ConfigError
  /// if the checkpoint was written by another number of processes, DataError if any part is damaged
  /// or was written at another moment than that of the first process.
  Checkpoint read(std::int64_t number) const;
  /// Registers the message that is printed if another process dies.
  void set_last_words() const;

  std::filesystem::path run_;
  Communicator* processes_;
  std::filesystem::path folder_;  // holds this process's checkpoints
  CheckpointInterval interval_;
  std::size_t keep_;
  RunFingerprint owner_;
  std::vector<Parameter*> parameters_;
  StopRequest stop_;
  std::vector<std::filesystem::path> usable_;  // newest last
  std::int64_t next_number_ = 1;
  std::optional<Moment> last_;  // the last moment that has a checkpoint
  Clock::time_point last_time_ = Clock::now();
};

}  // namespace ultr
