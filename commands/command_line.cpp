#include "commands/command_line.h"

#include <CLI/CLI.hpp>

#include <fmt/core.h>

#include "options/config_tree.h"
#include "options/read.h"

namespace ultr {

struct CommandLine::Given {
  Argument argument;
  CLI::Option* option = nullptr;
  std::string value{};
  std::vector<std::string> values{};
  bool flag = false;

  void add_to(CLI::App& app) {
    const std::string names = argument.names();
    if (argument.kind == Argument::Kind::flag) {
      option = app.add_flag(names, flag, argument.help);
      return;
    }
    option = argument.kind == Argument::Kind::list ? app.add_option(names, values, argument.help)
                                                   : app.add_option(names, value, argument.help);
    option->type_name(argument.placeholder)->default_str(argument.default_value);
    if (argument.is_required()) option->required();
    if (argument.kind == Argument::Kind::list && !argument.is_positional())
      option->allow_extra_args(false);
  }

  /// Returns the option as messages name it.
  std::string where() const { return option->get_name(argument.is_positional()); }

  ConfigNode scalar(const std::string& text) const {
    ConfigNode node;
    node.kind = ConfigNode::Kind::scalar;
    node.where = where();
    node.scalar = text;
    return node;
  }

  void set_in(ConfigNode& root) const {
    if (option->count() == 0) return;
    if (argument.kind == Argument::Kind::yaml) {
      override_config(root, fmt::format("{}={}", argument.field, value));
      return;
    }
    ConfigNode node =
        scalar(argument.kind == Argument::Kind::flag ? (flag ? "true" : "false") : value);
    if (argument.kind == Argument::Kind::list) {
      node.kind = ConfigNode::Kind::list;
      for (const std::string& item : values) node.items.push_back(scalar(item));
    }
    override_config(root, argument.field, std::move(node), where());
  }
};

CommandLine::CommandLine(CLI::App& app, Task& task) : task_(&task) {
  for (Argument& argument : arguments_of(task))
    given_.push_back(std::make_unique<Given>(Given{.argument = std::move(argument)}));
  for (const auto& given : given_) given->add_to(app);
}
CommandLine::~CommandLine() = default;
CommandLine::CommandLine(CommandLine&&) noexcept = default;

void CommandLine::read() {
  ConfigNode root;
  root.kind = ConfigNode::Kind::map;
  for (const auto& given : given_) given->set_in(root);
  read_options(root, *task_);
}

}  // namespace ultr
