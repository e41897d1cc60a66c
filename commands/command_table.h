#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiment/registry.h"

namespace ultr {

class Task;

/// A row of the table of commands.
struct Command {
  std::string name;   // "estimate-bias"
  std::string group;  // heading in --help: train, data, bias, use or compare
  std::string help;   // one line
  /// Makes the task with the defaults of the command line. It may refer to the registry's tables.
  std::function<std::unique_ptr<Task>(const Registry&)> make;
  bool divisible = false;  // several processes can do it together
};

/// Returns all commands of ultr-run, group by group.
const std::vector<Command>& command_table();

// Makers of the commands that have a file of their own.
std::unique_ptr<Task> make_choose(const Registry&);
std::unique_ptr<Task> make_compare(const Registry&);
std::unique_ptr<Task> make_convert(const Registry&);
std::unique_ptr<Task> make_evaluate(const Registry&);
std::unique_ptr<Task> make_labels(const Registry&);
std::unique_ptr<Task> make_predict(const Registry&);
std::unique_ptr<Task> make_relevance(const Registry&);
std::unique_ptr<Task> make_resume(const Registry&);
std::unique_ptr<Task> make_simulate(const Registry&);
std::unique_ptr<Task> make_train(const Registry&);

}  // namespace ultr
