#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/progress_bar.h"
#include "distributed/communicator.h"
#include "experiment/run_directory.h"
#include "options/fields.h"

/// Tasks: whatever `ultr-run` can be asked to do, as options with a `run`.
namespace ultr {

class Registry;

/// The surroundings of a task.
struct TaskContext {
  Registry& registry;
  std::string name{};  // of the experiment
  /// All random numbers follow from it.
  std::uint64_t seed = 1;
  /// Threads to use, at least 1; the process is limited to them already. Results do not depend on
  /// it.
  int threads = 1;
  /// The processes that do the task together; null: this one alone.
  Communicator* processes = nullptr;
  Progress progress{};  // may be empty
};

/// The results of a task. Tasks that write or print them while they run leave them empty.
struct TaskResults {
  /// The body of results.json: an object of numbers, texts, arrays and further objects.
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  std::vector<std::string> notes{};  // warnings, one line each
  std::string text{};                // to print on a terminal
  /// Writes the files of a command's --output; empty: there are none.
  std::function<void(const RunDirectory&)> write_files{};
  std::string files{};  // names what write_files writes: "report.html and pictures"
  /// Files that a run's folder has beside results.json and the report: names and contents.
  std::vector<std::pair<std::string, std::string>> run_files{};
  int exit_code = 0;
};

/// The form of a field on the command line, where it is more than an optional `--field`.
struct ArgumentForm {
  std::string field;
  std::string placeholder;  // stands for the value in --help: "FOLDER"
  enum class Kind : std::uint8_t { option, required_option, positional, required_positional };
  Kind kind = Kind::option;
};

/// Options with a `run`: a command of ultr-run, an analysis of a configuration, or both. One
/// declaration, `fields`, makes its command line, its section in YAML and its help.
class Task : public Options {
 public:
  /// Returns the fields whose form on the command line differs from the rule (see
  /// commands/command_line.h).
  virtual std::vector<ArgumentForm> argument_forms() const { return {}; }
  /// Throws ConfigError for options that contradict each other. Runs before anything is created.
  virtual void check() const {}
  /// Finds files and makes their paths absolute, as DataOptions::locate_files does, given the
  /// folder of the configuration, which calls it. On the command line, paths stay as they were
  /// given.
  virtual void locate_files(const std::filesystem::path&) {}
  /// Does the task. Throws Error if it cannot be done.
  virtual TaskResults run(const TaskContext& context) = 0;
};

}  // namespace ultr
