#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/arguments.h"

namespace CLI {
class App;
}

namespace ultr {

/// The part of a command line that sets the fields of one task.
class CommandLine {
 public:
  /// Adds the arguments of the task to `app`. Both must outlive this.
  CommandLine(CLI::App& app, Task& task);
  ~CommandLine();
  CommandLine(CommandLine&&) noexcept;

  /// Sets the fields that were given, after `app` has parsed. Throws ConfigError as read_options
  /// does; a message starts with the option.
  void read();

 private:
  struct Given;  // an argument and what the command line has for it

  Task* task_;
  std::vector<std::unique_ptr<Given>> given_;
};

}  // namespace ultr
