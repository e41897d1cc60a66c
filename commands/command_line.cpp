#include "commands/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/config_tree.h"
#include "options/read.h"

namespace ultr {
namespace {

/// Collects the arguments of all fields.
class ArgumentCollector final : public Fields {
 public:
  std::vector<Argument> arguments_;

  void boolean(std::string_view name, bool& value, std::string_view help) override {
    add(name, Argument::Kind::flag, "", help, value ? "true" : "");
  }
  void integer(std::string_view name, std::int64_t& value, std::string_view help,
               Limits limits) override {
    add(name, Argument::Kind::value, "COUNT", limited(help, limits), fmt::format("{}", value));
  }
  void number(std::string_view name, double& value, std::string_view help, Limits limits) override {
    add(name, Argument::Kind::value, "NUMBER", limited(help, limits), fmt::format("{}", value));
  }
  void optional_number(std::string_view name, std::optional<double>& value, std::string_view help,
                       Limits limits) override {
    add(name, Argument::Kind::yaml, "NUMBER", limited(help, limits),
        value ? fmt::format("{}", *value) : "null");
  }
  void text(std::string_view name, std::string& value, std::string_view help) override {
    add(name, Argument::Kind::value, "TEXT", help, value);
  }
  void word(std::string_view name, std::string& value, std::string_view help,
            const std::vector<std::string>& words) override {
    add(name, Argument::Kind::value, fmt::format("{}", fmt::join(words, "|")), help, value);
  }
  void integers(std::string_view name, std::vector<std::int64_t>& values, std::string_view help,
                Limits limits) override {
    add(name, Argument::Kind::numbers, "COUNT", limited(help, limits), joined(values));
  }
  void numbers(std::string_view name, std::vector<double>& values, std::string_view help,
               Limits limits) override {
    add(name, Argument::Kind::numbers, "NUMBER", limited(help, limits), joined(values));
  }
  void texts(std::string_view name, std::vector<std::string>& values,
             std::string_view help) override {
    add(name, Argument::Kind::list, "TEXT", help, joined(values));
  }
  void section(std::string_view name, Options& options, std::string_view) override {
    const std::string outer = path_;
    path_ += std::string(name) + ".";
    options.fields(*this);
    path_ = outer;
  }
  void choice(std::string_view name, Choice& choice, std::string_view help) override {
    add(name, Argument::Kind::yaml, "YAML", help, choice.type);
  }
  void choices(std::string_view name, std::vector<Choice>& choices, const std::vector<OptionType>&,
               std::string_view help) override {
    std::vector<std::string> types;
    for (const Choice& choice : choices) types.push_back(choice.type);
    add(name, Argument::Kind::yaml, "YAML", help, joined(types));
  }
  void inline_choice(Choice& choice, std::string_view help) override {
    add(choice.key, Argument::Kind::value, "TYPE", help, choice.type);
    choice.options->fields(*this);
    for (const OptionType& type : *choice.types) type.make()->fields(*this);
  }

 private:
  template <class T>
  static std::string joined(const std::vector<T>& values) {
    return fmt::format("{}", fmt::join(values, " "));
  }
  /// Returns help that ends in the limits, unless every number is accepted.
  static std::string limited(std::string_view help, const Limits& limits) {
    const std::string words = to_string(limits);
    if (words == to_string(Limits{})) return std::string(help);
    return fmt::format("{} ({})", help, words);
  }
  void add(std::string_view name, Argument::Kind kind, std::string placeholder,
           std::string_view help, std::string default_value) {
    const std::string field = path_ + std::string(name);
    for (const Argument& known : arguments_)
      if (known.field == field) return;  // of another type of an inline choice
    arguments_.push_back({.field = field,
                          .kind = kind,
                          .placeholder = std::move(placeholder),
                          .help = std::string(help),
                          .default_value = std::move(default_value)});
  }

  std::string path_;  // "section." inside that section
};

}  // namespace

std::string Argument::names() const {
  if (is_positional()) return field;
  std::string name = field;
  std::replace(name.begin(), name.end(), '_', '-');
  if (field == "output") return "-o,--output";
  if (is_list() && name.ends_with('s'))
    return fmt::format("--{},--{}", name.substr(0, name.size() - 1), name);
  if (kind == Kind::flag && default_value == "true") return fmt::format("--{0},!--no-{0}", name);
  return "--" + name;
}

std::vector<Argument> arguments_of(Task& task) {
  ArgumentCollector collector;
  task.fields(collector);
  std::vector<ArgumentForm> forms = {
      {"config", "CONFIG", ArgumentForm::Kind::required_positional},
      {"overrides", "KEY=VALUE", ArgumentForm::Kind::positional},
  };
  for (const ArgumentForm& form : task.argument_forms()) forms.push_back(form);
  for (const ArgumentForm& form : forms)
    for (Argument& argument : collector.arguments_)
      if (argument.field == form.field) {
        argument.form = form.kind;
        if (!form.placeholder.empty()) argument.placeholder = form.placeholder;
      }
  return std::move(collector.arguments_);
}

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
    option = argument.is_list() ? app.add_option(names, values, argument.help)
                                : app.add_option(names, value, argument.help);
    if (argument.kind == Argument::Kind::numbers) option->delimiter(',');
    option->type_name(argument.placeholder)->default_str(argument.default_value);
    if (argument.is_required()) option->required();
    if (argument.is_list() && !argument.is_positional()) option->allow_extra_args(false);
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
    if (argument.is_required() && !argument.is_list() && value.empty())
      throw ConfigError(fmt::format("{} is empty; expected {}", where(), argument.placeholder));
    if (argument.kind == Argument::Kind::yaml) {
      override_config(root, fmt::format("{}={}", argument.field, value));
      return;
    }
    ConfigNode node =
        scalar(argument.kind == Argument::Kind::flag ? (flag ? "true" : "false") : value);
    if (argument.is_list()) {
      node.kind = ConfigNode::Kind::list;
      for (const std::string& item : values) node.items.push_back(scalar(item));
    }
    override_config(root, argument.field, std::move(node), where());
  }
};

CommandLine::CommandLine(CLI::App& app, Task& task) : task_(&task) {
  for (Argument& argument : arguments_of(task))
    given_.push_back(std::make_shared<Given>(Given{.argument = std::move(argument)}));
  for (const auto& given : given_) given->add_to(app);
}

void CommandLine::read() const {
  ConfigNode root;
  root.kind = ConfigNode::Kind::map;
  for (const auto& given : given_) given->set_in(root);
  read_options(root, *task_);
}

}  // namespace ultr
