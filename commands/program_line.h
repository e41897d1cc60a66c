#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/command_line.h"
#include "commands/command_table.h"

namespace ultr {

/// The command line of the program: the common options, a subcommand per command, and without a
/// command the arguments of `train`.
class ProgramLine {
 public:
  /// `name` is that of the program. The registry and the commands must outlive this.
  ProgramLine(const std::string& name, const Registry& registry,
              const std::vector<Command>& commands);
  ~ProgramLine();

  /// Parses the arguments and checks them. Returns the exit code if the program is done, as after
  /// --help. Throws ConfigError.
  std::optional<int> parse(int argc, char** argv);

  /// Returns the files given by --plugin.
  const std::vector<std::string>& plugins() const { return plugins_; }
  /// Returns true if --trust was given.
  bool trusts_run_folders() const { return trusts_run_folders_; }
  /// Returns the row of the command that was given; null if there is none.
  const Command* command() const;

  /// Does what the command line says and returns the exit code.
  int run(const TaskContext& context);

 private:
  struct Subcommand;

  void add_plugins(CLI::App& app);
  void add(const Command& command, const Registry& registry);
  /// Returns the command that was given; null if there is none.
  Subcommand* chosen() const;
  /// Throws ConfigError if a misspelt command was parsed as a configuration.
  void expect_no_misspelt_command() const;
  /// Returns the message for a command line that cannot be parsed; `reason` says why.
  std::string message_of(const std::string& reason) const;

  std::string name_;
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Task> training_;  // without a command
  CommandLine training_line_;
  std::vector<std::unique_ptr<Subcommand>> subcommands_;
  std::vector<std::string> plugins_;
  bool trusts_run_folders_ = false;
  std::string resumed_;
  std::string listed_, reference_;
  bool help_options_ = false;
};

}  // namespace ultr
