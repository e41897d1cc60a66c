#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiment/task.h"

namespace CLI {
class App;
}

namespace ultr {

/// A field of a task as it appears on the command line.
struct Argument {
  enum class Kind {
    flag,     // a boolean: --name, or --no-name if it is true by default
    value,    // a number or a text
    list,     // an option that may be repeated, or positional arguments
    numbers,  // a list of numbers, which may also be separated by commas
    yaml,     // a section whose type is chosen, or a list of them, as one YAML value
  };
  std::string field;  // with dots inside sections
  Kind kind = Kind::value;
  std::string placeholder{};    // stands for the value: "FOLDER"
  std::string help{};           // with the limits of the value
  std::string default_value{};  // empty: none
  ArgumentForm::Kind form = ArgumentForm::Kind::option;

  bool is_list() const { return kind == Kind::list || kind == Kind::numbers; }
  bool is_positional() const {
    return form == ArgumentForm::Kind::positional ||
           form == ArgumentForm::Kind::required_positional;
  }
  bool is_required() const {
    return form == ArgumentForm::Kind::required_option ||
           form == ArgumentForm::Kind::required_positional;
  }
  /// Returns its names as the command line has them: "config" of a positional argument,
  /// "-o,--output" of an option.
  std::string names() const;
};

/// Returns the arguments of a task in the order of its fields, with their current values as
/// defaults. A field `click_log` becomes `--click-log`; `output` may be written `-o`. A list is
/// given one value at a time, so that its option is also called by the singular: `--method` for
/// `methods`. `config` and `overrides` are positional, `CONFIG [KEY=VALUE ...]`.
std::vector<Argument> arguments_of(Task& task);

/// The part of a command line that sets the fields of one task.
class CommandLine {
 public:
  /// Adds the arguments of the task to `app`. Both must outlive this.
  CommandLine(CLI::App& app, Task& task);

  /// Sets the fields that were given, after `app` has parsed. Throws ConfigError as read_options
  /// does, and if a required argument is empty; a message starts with the option.
  void read() const;

 private:
  struct Given;  // an argument and what the command line has for it

  Task* task_;
  std::vector<std::shared_ptr<Given>> given_;  // in place: the options of `app` write to them
};

}  // namespace ultr
