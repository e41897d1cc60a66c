#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <tuple>
#include <vector>

#include "base/stop_signals.h"
#include "distributed/communicator.h"
#include "training/checkpoint.h"
#include "training/checkpoint_options.h"

namespace ultr {

/// The folder of a run in which its checkpoints are, until it has finished: <number>.checkpoint,
/// the newest with the largest number.
inline constexpr const char* checkpoint_folder = "checkpoints";

/// Whether a run has left checkpoints, usable or not.
bool has_checkpoints(const std::filesystem::path& run);

/// The checkpoints of a run: when they are written, which are kept, and from which it goes on. Of
/// processes that train a model together each writes a part, with its rows of the tables; those of
/// all but the first lie in folders of their own, rank_1 and so on. They call the same functions
/// together, and do what the first would.
class RunCheckpoints {
 public:
  /// The parameters are all those of the model, and must outlive it; `ranks` are its processes
  /// (ModelSetting). Creates nothing. Throws ConfigError as CheckpointOptions::interval.
  RunCheckpoints(std::filesystem::path run, const CheckpointOptions& options, CheckpointOwner owner,
                 std::vector<Parameter*> parameters, StopRequest stop,
                 Communicator* ranks = nullptr);
  ~RunCheckpoints();
  RunCheckpoints(const RunCheckpoints&) = delete;
  RunCheckpoints& operator=(const RunCheckpoints&) = delete;

  /// The newest checkpoint that is whole, to go on from. Warns of newer ones, which are removed
  /// with the next that is written. Throws DataError if none is whole or if data have changed,
  /// ConfigError if an option has that results depend on, or the number of processes.
  Checkpoint newest();
  /// Writes a checkpoint if it is time to; one that cannot be written is a warning, since training
  /// can go on. If the run is to stop, writes one in any case and throws Interrupted, or DataError
  /// if it cannot be written.
  void operator()(const TrainingState& state);
  /// Removes all of them.
  void remove_all() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// Stage, epochs, steps and sessions of a state: equal only if all of it is.
  using Moment = std::tuple<std::size_t, std::size_t, std::int64_t, std::uint64_t>;

  static Moment moment_of(const TrainingState& state);
  bool due(const TrainingState& state) const;
  void write(const TrainingState& state);
  void expect_same_run(const Checkpoint& checkpoint) const;
  int processes() const { return count_processes(ranks_); }
  std::filesystem::path file_of(std::int64_t number) const;
  /// This process's checkpoint of a number. Throws, in all processes: ConfigError if there are
  /// parts of more or fewer processes, DataError if any is not whole, or of another moment than
  /// that of the first.
  Checkpoint read(std::int64_t number) const;
  /// Tells what is to be said if another process ends.
  void prepare_loss() const;

  std::filesystem::path run_;
  Communicator* ranks_;
  std::filesystem::path folder_;  // of this process's checkpoints
  CheckpointInterval interval_;
  std::size_t keep_;
  CheckpointOwner owner_;
  std::vector<Parameter*> parameters_;
  StopRequest stop_;
  std::vector<std::filesystem::path> usable_;  // newest last
  std::int64_t next_number_ = 1;
  std::optional<Moment> last_;  // that needs no further checkpoint
  Clock::time_point last_time_ = Clock::now();
};

}  // namespace ultr
