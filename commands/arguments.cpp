#include "commands/arguments.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    add(name, Argument::Kind::list, "COUNT", limited(help, limits), joined(values));
  }
  void numbers(std::string_view name, std::vector<double>& values, std::string_view help,
               Limits limits) override {
    add(name, Argument::Kind::list, "NUMBER", limited(help, limits), joined(values));
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
  if (kind == Kind::list && name.ends_with('s'))
    return fmt::format("--{},--{}", name.substr(0, name.size() - 1), name);
  if (kind == Kind::flag && default_value == "true") return fmt::format("--{0},!--no-{0}", name);
  return "--" + name;
}

std::vector<Argument> arguments_of(Task& task) {
  ArgumentCollector collector;
  task.fields(collector);
  for (const ArgumentForm& form : task.argument_forms())
    for (Argument& argument : collector.arguments_)
      if (argument.field == form.field) {
        argument.form = form.kind;
        if (!form.placeholder.empty()) argument.placeholder = form.placeholder;
      }
  return std::move(collector.arguments_);
}

}  // namespace ultr
