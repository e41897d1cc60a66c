#include <csignal>
#include <exception>
#include <map>
#include <mutex>

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "base/error.h"
#include "base/progress_bar.h"
#include "base/standard_output.h"
#include "base/stop_signals.h"
#include "base/threads/usable_cores.h"
#include "commands/command_table.h"
#include "experiment/run_directory.h"
#include "experiment/task.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "python/bindings.h"
#include "python/config_values.h"
#include "python/python_registry.h"
#include "studies/study.h"

namespace ultr::python {
namespace {

namespace py = pybind11;
namespace fs = std::filesystem;

/// The console of one command: keeps what is printed, and passes progress to a Python object.
/// Ctrl-C, and whatever that object throws, ends the command at its next progress or, in training,
/// after its next line.
class CommandConsole final : public Console {
 public:
  /// `observer` has the methods printed(text) and progress(work, unit, done, total), or is None.
  explicit CommandConsole(py::handle observer) : observer_(observer) {}

  void print(std::string_view text) noexcept override {
    {
      const std::scoped_lock lock(mutex_);
      text_ += text;
    }
    const bool goes_on = call([&] {
      if (!observer_.is_none()) observer_.attr("printed")(std::string(text));
    });
    if (!goes_on) request_stop(SIGINT);  // every time: work that watches only now has not seen it
  }
  void progress(const std::string& work, const std::string& unit, std::uint64_t done,
                std::uint64_t total) override {
    const bool goes_on = call([&] {
      if (!observer_.is_none()) observer_.attr("progress")(work, unit, done, total);
    });
    if (!goes_on) throw Interrupted::for_good(SIGINT);
  }

  const std::string& text() const { return text_; }
  /// Throws the Python exception that has ended the command, if one has. Needs the GIL.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// Returns false if this call or an earlier one has thrown, or Ctrl-C was pressed.
  template <class Call>
  bool call(const Call& call) noexcept {
    const py::gil_scoped_acquire gil;
    try {
      if (!failure_ && PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!failure_) call();
    } catch (...) {
      failure_ = std::current_exception();
    }
    return !failure_;
  }

  py::handle observer_;
  std::mutex mutex_;
  std::string text_;
  std::exception_ptr failure_;  // under the GIL
};

std::unique_ptr<Task> make_task(const std::string& name, const Registry& registry) {
  for (const Command& command : command_table())
    if (command.name == name) return command.make(registry);
  throw ConfigError(fmt::format("there is no command '{}'", name));
}

/// Does what a command does with the given values of its options. Returns what it prints (`text`),
/// its results in JSON and its exit code. Commands of several threads wait for each other.
py::dict run_command(const PythonRegistry& registry, const std::string& name, py::dict values,
                     const py::object& observer) {
  const std::shared_ptr<Registry>& types = registry.types();
  const std::unique_ptr<Task> task = make_task(name, *types);
  read_options(config_of(std::move(values), name), *task);
  task->check();
  CommandConsole console(observer);
  TaskResults results;
  std::exception_ptr failure;
  {
    static std::mutex one_at_a_time;
    const py::gil_scoped_release other_threads_run;
    const std::scoped_lock lock(one_at_a_time);
    use_console(&console);
    ProgressBars bars;
    try {
      results = task->run({.registry = *types,
                           .name = name,
                           .threads = usable_cores(),
                           .progress = std::ref(bars)});
    } catch (...) {
      failure = std::current_exception();
    }
    use_console(nullptr);
  }
  console.rethrow();
  if (failure) std::rethrow_exception(failure);
  py::dict done;
  done["text"] = console.text();
  done["results"] =
      results.json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  done["exit_code"] = results.exit_code;
  return done;
}

/// Returns the folder that the runs of a configuration would fill now, and "study", "analysis" or
/// "experiment".
std::pair<fs::path, std::string> planned_folder(
    const fs::path& config, const std::vector<std::pair<std::string, py::object>>& overrides) {
  ConfigNode tree = read_config(config);
  const bool study = is_study(tree);
  for (const auto& [key, value] : overrides)
    if (key == "output" || key == "name")
      override_config(tree, key, config_of(value, key), fmt::format("override {}", key));
  const auto text = [&](const char* key, const std::string& otherwise) {
    const ConfigNode* const node = tree.find(key);
    return node == nullptr || node->scalar.empty() ? otherwise : node->scalar;
  };
  return {RunDirectory(text("output", ""), text(study ? "study" : "name", config.stem().string()))
              .path(),
          study                              ? "study"
          : tree.find("analysis") != nullptr ? "analysis"
                                             : "experiment"};
}

/// Returns the names that the data of a resolved configuration give to columns of a table, by what
/// the columns hold. Columns with a usual name are left out.
std::map<std::string, std::string> data_columns(const std::string& config) {
  const ConfigNode tree = parse_config(config, "config.yaml");
  const ConfigNode* section = tree.find("data");
  if (section != nullptr && section->find("reader") != nullptr) section = section->find("reader");
  const ConfigNode* const columns = section == nullptr ? nullptr : section->find("columns");
  std::map<std::string, std::string> names;
  if (columns == nullptr) return names;
  for (const ConfigNode::Entry& entry : columns->entries)
    if (!entry.value.scalar.empty()) names[entry.key] = entry.value.scalar;
  return names;
}

}  // namespace

void bind_commands(py::module_& m) {
  m.def("run_command", &run_command);
  m.def("data_columns", &data_columns);
  m.def("planned_folder", &planned_folder);
}

}  // namespace ultr::python
