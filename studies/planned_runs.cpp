#include "studies/planned_runs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/text/formatted_number.h"
#include "base/threads/thread_limit.h"
#include "experiment/resolve_options.h"
#include "experiment/shared_run_directory.h"
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

std::string lists_identity(const ExperimentOptions& options) {
  return options.analysis ? "" : options.data.as<DataOptions>().list_identity();
}

bool folder_has(const fs::path& folder, const char* file) {
  std::error_code ignored;
  return fs::exists(folder / file, ignored);
}

/// Executes planned runs that are not done yet.
class PlannedRuns {
 public:
  PlannedRuns(std::vector<PlannedRun>& runs, RunDirectory& folder, const PlannedRunSetting& setting)
      : runs_(runs), folder_(folder), setting_(setting) {}

  std::size_t run() {
    const std::vector<std::size_t> order = own_part(runs_to_do());
    run_in_all_processes(setting_.processes, [&] {
      if (!order.empty())  // wrong data: as long as nothing is created
        load(runs_[order.front()], data_[order.front()]);
    });
    create_for_all(folder_, setting_.processes);
    run_in_all_processes(setting_.processes, [&] { prepare(); });
    if (setting_.at_once > 1)
      run_together(order);
    else if (setting_.processes == nullptr)
      run_in_turn(order);
    else
      run_beside_others(order);
    return static_cast<std::size_t>(std::ranges::count_if(
        runs_, [&](const PlannedRun& run) { return folder_has(folder_of(run), failure_file); }));
  }

 private:
  /// Returns the runs that are not done yet, those on the same made-up lists together, and among
  /// them those with the same data.
  std::vector<std::size_t> runs_to_do() {
    std::map<std::string, std::size_t> first_with_data, first_with_lists;
    std::vector<std::pair<std::size_t, std::size_t>> first(runs_.size());  // lists, data
    std::vector<std::size_t> order;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      data_.push_back(data_identity(runs_[r].options));
      const fs::path folder = folder_of(runs_[r]);
      if (folder_has(folder, results_file) || folder_has(folder, failure_file)) continue;
      const std::size_t with_data = first_with_data.emplace(data_[r], r).first->second;
      const std::string lists = lists_identity(runs_[r].options);
      first[r] = {lists.empty() ? with_data : first_with_lists.emplace(lists, r).first->second,
                  with_data};
      order.push_back(r);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t r) { return first[r]; });
    return order;
  }

  /// Returns those of the runs that this process does. Neighbours are alike, such as the seeds of
  /// one model, so every process gets some of each kind.
  std::vector<std::size_t> own_part(const std::vector<std::size_t>& order) const {
    if (setting_.processes == nullptr) return order;
    const auto process = static_cast<std::size_t>(setting_.processes->process());
    const auto count = static_cast<std::size_t>(setting_.processes->size());
    std::vector<std::size_t> own;
    for (std::size_t i = process; i < order.size(); i += count) own.push_back(order[i]);
    return own;
  }

  void run_in_turn(const std::vector<std::size_t>& order) {
    for (std::size_t number = 0; number < order.size(); ++number) {
      announce(runs_[order[number]], number, order.size());
      run_one(runs_[order[number]], data_[order[number]]);
      // A signal while data are loaded ends the program.
      if (setting_.data == nullptr || number + 1 == order.size()) signals_.reset();
    }
  }

  /// Does the runs of this process and waits for the others. The first then tells which failed.
  void run_beside_others(const std::vector<std::size_t>& own) {
    Communicator& processes = *setting_.processes;
    int signal = 0;
    const std::shared_ptr<void> end(nullptr, [&](void*) { processes.set_last_words({}, {}); });
    run_in_all_processes(&processes, [&] {
      try {
        run_in_turn(own);
      } catch (const Interrupted& stopped) {
        signal = stopped.signal();
      }
      watch_signals();  // while this process waits, too: the others end with a checkpoint
      processes.set_last_words(
          [this] { return signals_ ? signals_->received() : 0; },
          "error: another process has not answered since the signal; to resume: " +
              command_to_resume(folder_.path(), processes.size()));
    });
    Messages failed;
    processes.gather(std::as_bytes(std::span(failed_)), failed);
    if (signal == 0) signal = signals_->received();
    const int any = std::ranges::max(gather_all(processes, std::span<const int>(&signal, 1)));
    signals_.reset();
    for (std::size_t p = 1; p < failed.size(); ++p)  // only the first process prints
      if (!failed[p].empty())
        log().error("{}", std::string_view(reinterpret_cast<const char*>(failed[p].data()),
                                           failed[p].size()));
    if (any != 0) throw Interrupted(any, folder_.path(), processes.size());
  }

  void load(const PlannedRun& run, const std::string& identity) {
    if (setting_.data != nullptr || run.options.analysis || (in_memory_ && loaded_ == identity))
      return;
    in_memory_.reset();  // before there is more
    in_memory_ = load_data(run.options, &made_lists_);
    loaded_ = identity;
  }

  fs::path folder_of(const PlannedRun& run) const { return folder_.path() / run.folder; }

  /// Saves the configurations of all runs, so that a sweep that stops can be resumed.
  void prepare() {
    if (!is_first_process(setting_.processes) || folder_has(folder_.path(), sweep_file)) return;
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
    if (setting_.created) setting_.created(folder_);
    folder_.write(sweep_file, names);
  }

  /// Does runs in the given order, several at a time. Rethrows the first exception once all that
  /// were begun have ended.
  void run_together(const std::vector<std::size_t>& order) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr first;
    std::mutex mutex;
    const auto work = [&] {
      for (std::size_t number = next++; number < order.size(); number = next++) try {
          run_one(runs_[order[number]], {});
        } catch (...) {
          next = order.size();
          const std::scoped_lock lock(mutex);
          if (!first) first = std::current_exception();
        }
    };
    {
      std::vector<std::jthread> threads;
      try {
        for (std::size_t i = 1; i < std::min(setting_.at_once, order.size()); ++i)
          threads.emplace_back(work);
      } catch (const std::system_error&) {  // these are all that the system starts
      }
      work();
    }
    signals_.reset();
    if (first) std::rethrow_exception(first);
  }

  void announce(const PlannedRun& run, std::size_t done, std::size_t all) const {
    if (setting_.observer != nullptr) return;
    const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::string left =
        done == 0
            ? ""
            : fmt::format(", about {} left", format_duration(spent / static_cast<double>(done) *
                                                             static_cast<double>(all - done)));
    const int processes = count_processes(setting_.processes);
    print_to(stdout, "\nrun {} of {}{}: {}{}\n", done + 1, all,
             processes == 1 ? "" : fmt::format(" in the first of {} processes", processes),
             run.name, left);
    std::fflush(stdout);
  }

  void run_one(PlannedRun& run, const std::string& identity) {
    RunDirectory folder = RunDirectory::of_run(folder_of(run));
    const bool resumes = has_checkpoints(folder.path());
    std::string failure;
    try {
      if (run.options.analysis) {
        run_analysis(run.options, folder);
        return;
      }
      load(run, identity);
      RunControl control{.stop = [this] { return signals_->received(); },
                         .starts = [this] { watch_signals(); },
                         .resume = resumes};
      if (setting_.observer != nullptr)
        control.epoch = [&](const EpochResult& epoch) { setting_.observer->epoch(run, epoch); };
      train_and_evaluate(run.options, setting_.data != nullptr ? *setting_.data : *in_memory_,
                         folder, control);
    } catch (const Interrupted&) {
    } catch (const std::exception& error) {
      // A run that cannot go on, or be saved, has not failed: its checkpoints may yet be used.
      const bool wrong_files = dynamic_cast<const DataError*>(&error) != nullptr ||
                               dynamic_cast<const ConfigError*>(&error) != nullptr;
      if (wrong_files && (resumes || stopping())) throw;
      failure = error.what();
      if (setting_.observer == nullptr) {
        const std::string line = fmt::format("error: {}: {}", run.name, failure);
        log().error("{}", line);
        failed_ += (failed_.empty() ? "" : "\n") + line;
      }
      folder.write(failure_file, failure + "\n");
    }
    if (stopping()) throw Interrupted(signals_->received(), folder_.path());
    if (setting_.observer != nullptr) setting_.observer->end(run, failure);
  }

  /// Watches signals from the first training on: before, there is nothing to save.
  void watch_signals() {
    const std::scoped_lock lock(signals_mutex_);
    if (!signals_) signals_.emplace();
  }
  bool stopping() {
    const std::scoped_lock lock(signals_mutex_);
    return signals_ && signals_->received() != 0;
  }

  std::vector<PlannedRun>& runs_;
  RunDirectory& folder_;
  const PlannedRunSetting& setting_;
  std::optional<StopSignals> signals_;  // while something trains
  std::mutex signals_mutex_;
  std::vector<std::string> data_;  // of each run: equal for runs with the same data
  std::optional<ExperimentData> in_memory_;
  MadeLists made_lists_;
  std::string loaded_;
  std::string failed_;  // one line per run of this process that has failed, for the first process
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
                        const PlannedRunSetting& setting) {
  const ThreadLimit limit(count_threads(runs.front().options));
  return PlannedRuns(runs, folder, setting).run();
}

void print_planned(std::vector<PlannedRun>& runs) {
  for (const PlannedRun& run : runs)
    if (!run.options.analysis) expect_trainable(run.options);
  for (PlannedRun& run : runs)
    print_to(stdout, "---\n# {}\n{}", run.name, write_options(run.options));
}

}  // namespace ultr
