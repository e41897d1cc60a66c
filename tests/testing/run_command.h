#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands/built_in_registry.h"
#include "commands/command_table.h"
#include "experiment/task.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::testing {

/// Runs a command of ultr-run whose fields are given in YAML.
inline void run_command(const std::string& name, const std::string& yaml) {
  const std::vector<Command>& table = command_table();
  const auto command = std::find_if(table.begin(), table.end(),
                                    [&](const Command& row) { return row.name == name; });
  if (command == table.end()) throw Error("there is no command " + name);
  Registry registry = built_in_registry();
  const auto task = command->make(registry);
  read_options(parse_config(yaml, name), *task);
  task->check();
  task->run({.registry = registry});
}

/// Returns texts as a list in YAML.
inline std::string yaml_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += fmt::format("'{}', ", text);
  return "[" + list + "]";
}

/// The fields of `ultr-run convert`.
struct Conversion {
  std::string format;
  std::vector<std::string> files;
  std::string output;
  std::vector<std::string> set{};
  bool click_log = false;
};

inline void convert_dataset(const Conversion& c) {
  run_command("convert",
              fmt::format("{{format: {}, files: {}, output: '{}', set: {}, "
                          "click_log: {}}}",
                          c.format, yaml_list(c.files), c.output, yaml_list(c.set), c.click_log));
}

}  // namespace ultr::testing
