#include "experiment/run_checkpoints.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <ranges>

#include <fmt/core.h>

#include "data/error.h"
#include "experiment/log.h"
#include "options/config_tree.h"
#include "options/quote.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".checkpoint";

/// The number in "12.checkpoint"; nothing for other files.
std::optional<std::int64_t> number_of(const fs::path& file) {
  const std::string name = file.filename().string();
  std::int64_t number = 0;
  if (!name.ends_with(extension)) return std::nullopt;
  const char* const digits_end = name.data() + name.size() - extension.size();
  const auto [end, error] = std::from_chars(name.data(), digits_end, number);
  if (error != std::errc() || end != digits_end) return std::nullopt;
  return number;
}

/// A run's checkpoints by their number.
std::map<std::int64_t, fs::path> checkpoints_of(const fs::path& run) {
  std::map<std::int64_t, fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(run / checkpoint_folder, error), end; !error && entry != end;
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

bool has_checkpoints(const fs::path& run) { return !checkpoints_of(run).empty(); }

RunCheckpoints::RunCheckpoints(fs::path run, const CheckpointOptions& options,
                               CheckpointOwner owner, std::vector<Parameter*> parameters,
                               StopRequest stop)
    : run_(std::move(run)),
      interval_(options.interval()),
      keep_(static_cast<std::size_t>(options.keep)),
      owner_(std::move(owner)),
      parameters_(std::move(parameters)),
      stop_(std::move(stop)) {}

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

Checkpoint RunCheckpoints::newest() {
  const auto files = checkpoints_of(run_);
  std::optional<Checkpoint> checkpoint;
  for (const auto& [number, file] : files | std::views::reverse) {
    if (!checkpoint) {
      try {
        checkpoint.emplace(file);
      } catch (const DataError& error) {
        log().warn("{}{}", error.what(),
                   file == files.begin()->second ? "" : "; trying the one before");
        continue;
      }
    }
    usable_.insert(usable_.begin(), file);
  }
  if (!checkpoint)
    throw DataError(
        fmt::format("{}: has no usable checkpoint; expected one to go on from", run_.string()));
  expect_same_run(*checkpoint);
  next_number_ = files.rbegin()->first + 1;
  last_ = moment_of(checkpoint->state());
  log().info("{}: goes on {}", usable_.back().string(), moment_in_words(checkpoint->state()));
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
  const int signal = stop_ ? stop_() : 0;
  const Moment now = moment_of(state);
  if (now != last_ && (signal != 0 || due(state))) {
    try {
      write(state);
      last_ = now;
    } catch (const DataError& error) {
      if (signal != 0) throw;
      log().warn("{}; training goes on", error.what());
    }
    last_time_ = Clock::now();
  }
  if (signal != 0) throw Interrupted(signal, run_);
}

void RunCheckpoints::write(const TrainingState& state) {
  const fs::path folder = run_ / checkpoint_folder;
  const fs::path file = folder / fmt::format("{}{}", next_number_, extension);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw DataError(fmt::format("{}: cannot be written ({})", file.string(), error.message()));
  write_checkpoint(file, owner_, state, parameters_);
  ++next_number_;
  usable_.push_back(file);
  if (usable_.size() > keep_)
    usable_.erase(usable_.begin(), usable_.end() - static_cast<std::ptrdiff_t>(keep_));
  // What cannot be removed now is removed with the next, or with all.
  for (const auto& [number, old] : checkpoints_of(run_))
    if (std::find(usable_.begin(), usable_.end(), old) == usable_.end()) fs::remove(old, error);
}

void RunCheckpoints::remove_all() const {
  std::error_code left;  // a run with results is finished, whatever else is in its folder
  fs::remove_all(run_ / checkpoint_folder, left);
}

}  // namespace ultr
