#include "commands/program.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <optional>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/threads/usable_cores.h"
#include "base/version.h"
#include "commands/command_line.h"
#include "commands/listings.h"
#include "commands/reference.h"
#include "commands/train.h"
#include "distributed/mpi_launcher.h"
#include "options/config_tree.h"
#include "training/run_files.h"

namespace ultr {
namespace {

constexpr const char* description =
    "Learns a click model from a click log, evaluates it and draws a report.\n"
    "Several values, KEY=A,B or seed=1..5, make a sweep: a run of each combination, compared.\n"
    "A study, a file with the key `study`, is an experiment with a grid, expectations and "
    "figures.\n"
    "SIGINT (Ctrl-C), SIGTERM and SIGHUP (a lost terminal) end training with a checkpoint after "
    "the "
    "step; a second SIGINT or SIGTERM ends it at once.\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 missing or wrong data, 4 an "
    "expectation of a study failed, 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM.\n"
    "Under mpirun the processes train one model together, or share the runs of a sweep or study "
    "(docs/distributed.md).";

/// The command line of the program: the common options, a subcommand per command, and without a
/// command the arguments of `train`.
class ProgramLine {
 public:
  /// `name` is that of the program. The registry and the commands must outlive this.
  ProgramLine(const std::string& name, const Registry& registry,
              const std::vector<Command>& commands)
      : name_(name),
        app_(description, name),
        training_(make_train(registry)),
        training_line_(app_, *training_) {
    app_.get_option("config")->required(false);  // commands have none, or their own
    app_.add_option("--resume", resumed_,
                    "Same as the command resume: the folder of a run, sweep or study")
        ->type_name("FOLDER");
    app_.add_option(
            "--list", listed_,
            "Print the models, losses, layers, data formats, metrics and all else that has a "
            "name; with NAME, that group or entry with its options")
        ->type_name("NAME")
        ->expected(0, 1);
    app_.add_flag("--help-options", help_options_, "Print every option of a configuration");
    app_.add_option("--write-reference", reference_,
                    "Write the options as Markdown, as in docs/reference")
        ->type_name("FOLDER");
    app_.set_version_flag("--version", fmt::format("{} ({})", version(), vector_instructions()));
    add_plugins(app_);
    for (const Command& command : commands) add(command, registry);
    app_.require_subcommand(0, 1);  // a folder may be called as a command is
  }

  /// Parses the arguments and checks them. Returns the exit code if the program is done, as after
  /// --help. Throws ConfigError.
  std::optional<int> parse(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return app_.exit(error);  // --help, --version
      expect_no_misspelt_command();
      throw ConfigError(message_of(error.what()));
    }
    if (chosen() != nullptr) {
      expect_nothing_before_command();
      chosen()->line.read();
      chosen()->task->check();
    } else {
      expect_no_misspelt_command();
      training_line_.read();
      training_->check();
    }
    return {};
  }

  /// Returns the files given by --plugin.
  const std::vector<std::string>& plugins() const { return plugins_; }
  /// Returns true if --trust was given.
  bool trusts_run_folders() const { return trusts_run_folders_; }
  /// Returns the row of the command that was given; null if there is none.
  const Command* command() const { return chosen() == nullptr ? nullptr : chosen()->command; }

  /// Does what the command line says and returns the exit code.
  int run(const TaskContext& context) {
    if (chosen() != nullptr) return chosen()->task->run(context).exit_code;
    const auto given = [&](const char* option) { return app_.count(option) > 0; };
    const bool trains = given("config") || given("--dry-run") || given("--check-gradients");
    for (const char* prints : {"--list", "--help-options", "--write-reference"})
      if (given(prints) && (trains || given("--resume")))
        throw ConfigError(fmt::format(
            "{} is given with a run to do; expected it alone; see {} --help", prints, name_));
    if (given("--list"))
      print_to(stdout, "{}",
               listed_.empty() ? list_components(context.registry)
                               : list_components(context.registry, listed_));
    if (help_options_) print_to(stdout, "{}", list_options(context.registry));
    if (given("--write-reference")) write_reference(context.registry, reference_);
    if (given("--list") || help_options_ || given("--write-reference")) return 0;
    if (given("--resume")) {
      if (trains)
        throw ConfigError(fmt::format(
            "--resume takes a folder alone, whose {} says all; see {} --help", config_file, name_));
      return resume_experiment(resumed_, context.registry, context.processes);
    }
    if (!given("config"))
      throw ConfigError(fmt::format("no configuration; expected {} CONFIG [KEY=VALUE ...]", name_));
    return training_->run(context).exit_code;
  }

 private:
  struct Subcommand {
    const Command* command;
    CLI::App* app;
    std::unique_ptr<Task> task;
    CommandLine line;
  };

  void add_plugins(CLI::App& app) {
    const auto add = [this](const std::vector<std::string>& files) {
      plugins_.insert(plugins_.end(), files.begin(), files.end());
    };
    app.add_option_function<std::vector<std::string>>(
           "--plugin", add,
           "A shared object with further models, layers, optimizers or readers; repeatable")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_flag("--trust", trusts_run_folders_,
                 "Load plugins, which are code, that the folder of a run names");
  }

  void add(const Command& command, const Registry& registry) {
    CLI::App& app = *app_.add_subcommand(command.name, command.help);
    app.group(fmt::format("Commands ({})", command.group));
    std::unique_ptr<Task> task = command.make(registry);
    CommandLine line(app, *task);
    add_plugins(app);
    subcommands_.push_back({&command, &app, std::move(task), std::move(line)});
  }

  /// Returns the command that was given; null if there is none.
  const Subcommand* chosen() const {
    for (const Subcommand& subcommand : subcommands_)
      if (subcommand.app->parsed()) return &subcommand;
    return nullptr;
  }

  /// Throws ConfigError if arguments before the command, which it does not see, say more than which
  /// plugins to load.
  void expect_nothing_before_command() const {
    for (const CLI::Option* option : app_.get_options())
      if (option->count() > 0 && !option->check_lname("plugin") && !option->check_lname("trust"))
        throw ConfigError(
            fmt::format("{} is given before the command {}; expected it after the command",
                        option->get_positional() ? option->results().front() : option->get_name(),
                        chosen()->command->name));
  }

  /// Throws ConfigError if a misspelt command was parsed as a configuration.
  void expect_no_misspelt_command() const {
    const CLI::Option& option = *app_.get_option("config");
    if (option.count() == 0 || chosen() != nullptr) return;
    const std::string config = option.results().front();
    std::error_code ignored;
    if (config.find_first_of("./") != std::string::npos || std::filesystem::exists(config, ignored))
      return;
    std::vector<std::string> names;
    for (const Subcommand& known : subcommands_) names.push_back(known.command->name);
    const std::string near = nearest_name(config, names);
    if (!near.empty())
      throw ConfigError(fmt::format("there is no command '{}'; did you mean '{}'?", config, near));
  }

  /// Returns the message for a command line that cannot be parsed; `reason` says why.
  std::string message_of(const std::string& reason) const {
    const CLI::App& app = chosen() == nullptr ? app_ : *chosen()->app;
    const std::string program =
        chosen() == nullptr ? name_ : fmt::format("{} {}", name_, app.get_name());
    for (const std::string& argument : app_.remaining(true)) {
      if (!argument.starts_with('-')) continue;
      const std::string extra = argument.substr(0, argument.find('='));
      std::vector<std::string> known;
      for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      const std::string near = nearest_name(extra, known);
      return fmt::format("{} has no option {}; {}", program, extra,
                         near.empty() ? fmt::format("see {} --help", program)
                                      : fmt::format("did you mean {}?", near));
    }
    return fmt::format("{}; see {} --help", reason, program);
  }

  std::string name_;
  CLI::App app_;
  std::unique_ptr<Task> training_;  // without a command
  CommandLine training_line_;
  std::vector<Subcommand> subcommands_;
  std::vector<std::string> plugins_;
  bool trusts_run_folders_ = false;
  std::string resumed_;
  std::string listed_, reference_;
  bool help_options_ = false;
};

/// Throws ConfigError if the number of processes does not fit what the program is to do.
void expect_fitting_processes(const std::string& name, const Command* command,
                              const Communicator* processes) {
  if (processes != nullptr && command != nullptr && !command->divisible)
    throw ConfigError(
        fmt::format("{} {} cannot be divided over {} processes; expected it without mpirun", name,
                    command->name, processes->size()));
  if (const int launched = launched_processes().value_or(1); processes == nullptr && launched > 1)
    throw ConfigError(
        fmt::format("{} was started as one of {} processes and cannot work with the others; "
                    "expected ultr-run, with what is added as a plugin, or no mpirun",
                    name, launched));
}

/// with_exit_code for one of several processes (run_program).
int as_one_of(Communicator* processes, const std::function<int()>& program) {
  if (processes == nullptr) return with_exit_code(program);
  if (processes->process() > 0) {
    log().set_level(spdlog::level::off);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) processes->end_all(1);
  }
  bool alone = false;
  const int code = with_exit_code([&] {
    try {
      return program();
    } catch (const std::exception&) {
      alone = !processes->all_fail();
      if (alone && processes->process() > 0) {
        log().set_level(spdlog::level::info);
        log().set_pattern(fmt::format("process {}: %v", processes->process()));
      }
      throw;
    }
  });
  if (alone) processes->end_all(code);
  return code;
}

}  // namespace

int run_program(int argc, char** argv, Registry registry, Communicator* processes,
                const std::vector<Command>& commands) {
  const std::string name =
      argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "ultr-run";
  return as_one_of(processes, [&] {
    ProgramLine line(name, registry, commands);
    std::optional<int> done;
    run_in_all_processes(processes, [&] {
      done = line.parse(argc, argv);
      if (done) return;
      expect_fitting_processes(name, line.command(), processes);
      for (const std::string& plugin : line.plugins()) registry.load_plugin(plugin);
      if (line.trusts_run_folders()) registry.trust_run_folders();
    });
    if (done) return *done;
    return line.run(
        {.registry = registry, .name = name, .threads = usable_cores(), .processes = processes});
  });
}

}  // namespace ultr
