#include "training/run_checkpoints.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <ranges>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/log.h"
#include "base/text/quote.h"
#include "options/config_tree.h"
#include "training/run_files.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".checkpoint";

/// Returns the number in "12.checkpoint"; nothing for other file names.
std::optional<std::int64_t> number_of(const fs::path& file) {
  const std::string name = file.filename().string();
  std::int64_t number = 0;
  if (!name.ends_with(extension)) return std::nullopt;
  const char* const digits_end = name.data() + name.size() - extension.size();
  const auto [end, error] = std::from_chars(name.data(), digits_end, number);
  if (error != std::errc() || end != digits_end) return std::nullopt;
  return number;
}

/// Returns the checkpoint files of a folder, by number.
std::map<std::int64_t, fs::path> checkpoints_in(const fs::path& folder) {
  std::map<std::int64_t, fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const auto number = number_of(entry->path())) files.emplace(*number, entry->path());
  return files;
}

std::string moment_in_words(const TrainingState& state) {
  const std::size_t epochs = state.done.epochs.size();
  const std::string stage =
      state.earlier.empty() ? "" : fmt::format(" of stage {}", state.earlier.size() + 1);
  if (state.fit.sessions > 0)
    return fmt::format("after {} sessions of epoch {}{}", state.fit.sessions, epochs + 1, stage);
  return epochs > 0 ? fmt::format("after epoch {}{}", epochs, stage) : "at the start" + stage;
}

}  // namespace

bool has_checkpoints(const fs::path& run) {
  return !checkpoints_in(run / checkpoint_folder).empty();
}

RunCheckpoints::RunCheckpoints(fs::path run, const CheckpointOptions& options, RunFingerprint owner,
                               std::vector<Parameter*> parameters, StopRequest stop,
                               Communicator* processes)
    : run_(std::move(run)),
      processes_(processes),
      folder_(run_ / checkpoint_folder),
      interval_(options.interval()),
      keep_(static_cast<std::size_t>(options.keep)),
      owner_(std::move(owner)),
      parameters_(std::move(parameters)),
      stop_(std::move(stop)) {
  owner_.processes = process_count();
  if (processes_ == nullptr) return;
  if (processes_->process() > 0) folder_ /= fmt::format("rank_{}", processes_->process());
  set_last_words();
}

RunCheckpoints::~RunCheckpoints() {
  if (processes_ != nullptr) processes_->set_last_words({}, {});
}

void RunCheckpoints::set_last_words() const {
  if (processes_ == nullptr) return;
  const std::string left =
      usable_.empty() ? run_.string() + " has no checkpoint to resume from"
                      : fmt::format("the last checkpoint is {}; to resume: {}",
                                    (run_ / checkpoint_folder / usable_.back().filename()).string(),
                                    command_to_resume(run_, process_count()));
  processes_->set_last_words(
      [stop = stop_] { return stop && stop() != 0; },
      "error: another process of the run has not answered since the signal; " + left);
}

void RunCheckpoints::expect_same_run(const Checkpoint& checkpoint) const {
  const auto shown = [](const OptionValues& options, const std::string& name) {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const auto& option) { return option.first == name; });
    return found == options.end() ? "none" : quote(found->second, 60);
  };
  const OptionValues& saved = checkpoint.owner().options;
  for (const OptionValues* options : {&owner_.options, &saved})
    for (const auto& [name, value] : *options) {
      const std::string now = shown(owner_.options, name), then = shown(saved, name);
      if (now != then)
        throw ConfigError(
            fmt::format("{}: {} is {}; expected {}, as when its checkpoint was written",
                        (run_ / config_file).string(), name, now, then));
    }
  if (owner_.data != checkpoint.owner().data)
    throw DataError(
        fmt::format("{}: its data are {}; expected {}, as when its checkpoint was "
                    "written",
                    run_.string(), owner_.data, checkpoint.owner().data));
}

fs::path RunCheckpoints::file_of(std::int64_t number) const {
  return folder_ / fmt::format("{}{}", number, extension);
}

Checkpoint RunCheckpoints::read(std::int64_t number) const {
  const fs::path file = file_of(number);
  std::optional<Checkpoint> checkpoint;
  // Only the part of the first process is certain to exist. It records the number of parts.
  const bool first = is_first_process(processes_);
  run_in_all_processes(processes_, [&] {
    if (first) checkpoint.emplace(file);
  });
  int parts = first ? checkpoint->owner().processes : 0;
  if (processes_ != nullptr)
    parts = gather_all(*processes_, std::span<const int>(&parts, 1)).front();
  if (parts != process_count())
    throw ConfigError(fmt::format(
        "{}: its checkpoint was written by {} process{}, but this run has {}; expected the same "
        "number (mpirun -n)",
        run_.string(), parts, parts == 1 ? "" : "es", process_count()));
  run_in_all_processes(processes_, [&] {
    if (!first) checkpoint.emplace(file);
  });
  if (processes_ != nullptr) {
    const auto [stage, epochs, steps, sessions] = moment_of(checkpoint->state());
    const std::array own = {static_cast<std::uint64_t>(stage), static_cast<std::uint64_t>(epochs),
                            static_cast<std::uint64_t>(steps), sessions};
    const auto all = gather_all(*processes_, std::span<const std::uint64_t>(own));
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != all[i % own.size()])
        throw DataError(fmt::format("{}: was written at another moment than the part of process {}",
                                    file.string(), i / own.size()));
  }
  return std::move(*checkpoint);
}

Checkpoint RunCheckpoints::newest() {
  std::vector<std::int64_t> numbers;  // ascending
  for (const auto& [number, file] : checkpoints_in(run_ / checkpoint_folder))
    numbers.push_back(number);
  if (processes_ != nullptr) {  // all use the list of the first process
    if (!is_first_process(processes_)) numbers.clear();
    numbers = gather_all(*processes_, std::span<const std::int64_t>(numbers));
  }
  std::optional<Checkpoint> checkpoint;
  for (const std::int64_t number : numbers | std::views::reverse) {
    if (!checkpoint) {
      try {
        checkpoint.emplace(read(number));
      } catch (const DataError& error) {
        log().warn("{}{}", error.what(),
                   number == numbers.front() ? "" : "; trying the previous one");
        continue;
      }
    }
    usable_.insert(usable_.begin(), file_of(number));
  }
  if (!checkpoint)
    throw DataError(
        fmt::format("{}: has no usable checkpoint; expected one to resume from", run_.string()));
  expect_same_run(*checkpoint);
  next_number_ = numbers.back() + 1;
  last_ = moment_of(checkpoint->state());
  log().info("{}: resuming {}", usable_.back().string(), moment_in_words(checkpoint->state()));
  set_last_words();
  return std::move(*checkpoint);
}

RunCheckpoints::Moment RunCheckpoints::moment_of(const TrainingState& state) {
  return {state.earlier.size(), state.done.epochs.size(), state.fit.steps, state.fit.sessions};
}

bool RunCheckpoints::due(const TrainingState& state) const {
  const auto every = [&](std::int64_t done) {
    return done > 0 && done % static_cast<std::int64_t>(interval_.count) == 0;
  };
  switch (interval_.unit) {
    case CheckpointInterval::Unit::seconds:
      return std::chrono::duration<double>(Clock::now() - last_time_).count() >= interval_.count;
    case CheckpointInterval::Unit::steps:
      return every(state.fit.steps);
    case CheckpointInterval::Unit::epochs:
      return state.fit.sessions == 0 && every(static_cast<std::int64_t>(state.done.epochs.size()));
    default:
      return false;
  }
}

void RunCheckpoints::operator()(const TrainingState& state) {
  int signal = stop_ ? stop_() : 0;
  bool is_due = due(state);
  if (processes_ != nullptr) {  // agree, whichever process got a signal
    const std::array own = {signal, is_due ? 1 : 0};
    const auto all = gather_all(*processes_, std::span<const int>(own));
    is_due = all[1] != 0;
    for (std::size_t i = 0; i < all.size(); i += own.size()) signal = std::max(signal, all[i]);
  }
  const Moment now = moment_of(state);
  if (now != last_ && (signal != 0 || is_due)) {
    // All processes are here, so a slow write is no reason to report a lost process.
    if (processes_ != nullptr && signal != 0) processes_->set_last_words({}, {});
    try {
      write(state);
      last_ = now;
    } catch (const DataError& error) {
      if (signal != 0) throw;
      log().warn("{}; training continues", error.what());
    }
    last_time_ = Clock::now();
  }
  if (signal != 0) throw Interrupted(signal, run_, process_count());
}

void RunCheckpoints::write(const TrainingState& state) {
  const fs::path file = file_of(next_number_);
  run_in_all_processes(processes_, [&] {
    std::error_code error;
    if (!fs::is_directory(run_, error) && !error)  // it was removed
      error = std::make_error_code(std::errc::no_such_file_or_directory);
    if (!error) error = create_folders(folder_);
    if (error)
      throw DataError(fmt::format("{}: cannot be written ({})", file.string(), error.message()));
    write_checkpoint(file, owner_, state, parameters_);
  });
  ++next_number_;
  usable_.push_back(file);
  if (usable_.size() > keep_)
    usable_.erase(usable_.begin(), usable_.end() - static_cast<std::ptrdiff_t>(keep_));
  // Files that cannot be deleted now are deleted by the next write or by remove_all.
  std::error_code error;
  for (const auto& [number, old] : checkpoints_in(folder_))
    if (std::find(usable_.begin(), usable_.end(), old) == usable_.end()) fs::remove(old, error);
  set_last_words();
}

void RunCheckpoints::remove_all() const {
  if (!is_first_process(processes_)) return;  // the first process deletes all of them
  std::error_code left;  // ignored: a run with results is finished, whatever is left
  fs::remove_all(run_ / checkpoint_folder, left);
}

}  // namespace ultr
