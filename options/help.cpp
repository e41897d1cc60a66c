#include "options/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ultr {
namespace {

class Describer : public Fields {
 public:
  explicit Describer(int indent) : indent_(indent) {}
  std::string text_;

  void boolean(std::string_view name, bool& value, std::string_view help) override {
    line(name, "true or false", fmt::format("{}", value), help);
  }
  void integer(std::string_view name, std::int64_t& value, std::string_view help,
               Limits limits) override {
    line(name, "whole number" + limited(", ", limits), fmt::format("{}", value), help);
  }
  void number(std::string_view name, double& value, std::string_view help, Limits limits) override {
    line(name, "number" + limited(", ", limits), fmt::format("{}", value), help);
  }
  void optional_number(std::string_view name, std::optional<double>& value, std::string_view help,
                       Limits limits) override {
    line(name, "number" + limited(", ", limits) + ", or null",
         value ? fmt::format("{}", *value) : "null", help);
  }
  void text(std::string_view name, std::string& value, std::string_view help) override {
    line(name, "text", value.empty() ? "none" : value, help);
  }
  void word(std::string_view name, std::string& value, std::string_view help,
            const std::vector<std::string>& words) override {
    line(name, fmt::format("{}", fmt::join(words, " | ")), value, help);
  }
  void integers(std::string_view name, std::vector<std::int64_t>& values, std::string_view help,
                Limits limits) override {
    line(name, "list of whole numbers" + limited(", each ", limits),
         fmt::format("[{}]", fmt::join(values, ", ")), help);
  }
  void numbers(std::string_view name, std::vector<double>& values, std::string_view help,
               Limits limits) override {
    line(name, "list of numbers" + limited(", each ", limits),
         fmt::format("[{}]", fmt::join(values, ", ")), help);
  }
  void texts(std::string_view name, std::vector<std::string>& values,
             std::string_view help) override {
    line(name, "list of names", fmt::format("[{}]", fmt::join(values, ", ")), help);
  }
  void section(std::string_view name, Options& options, std::string_view help) override {
    text_ += fmt::format("{:{}}{}: {}\n", "", indent_, name, help);
    nest(options);
  }
  void choice(std::string_view name, Choice& choice, std::string_view help) override {
    text_ += fmt::format("{:{}}{}: {}\n", "", indent_, name, help);
    text_ += fmt::format("{:{}}{}: {} (default {})\n", "", indent_ + 2, choice.key,
                         fmt::join(names_of(choice), " | "), choice.type);
    nest(*choice.options);
  }
  void choices(std::string_view name, std::vector<Choice>& choices, const std::vector<OptionType>&,
               std::string_view help) override {
    std::vector<std::string> names;
    for (const Choice& choice : choices) names.push_back(choice.type);
    line(name, "list of types, or of sections with a type",
         fmt::format("[{}]", fmt::join(names, ", ")), help);
  }
  void inline_choice(Choice& choice, std::string_view help) override {
    line(choice.key, fmt::format("{}", fmt::join(names_of(choice), " | ")), choice.type, help);
    text_ += describe_types(*choice.types, indent_ + 2);
  }

 private:
  static std::vector<std::string> names_of(const Choice& choice) {
    std::vector<std::string> names;
    for (const OptionType& type : *choice.types) names.push_back(type.name);
    return names;
  }
  /// Returns the limits with `before` in front, or nothing if every number is accepted.
  static std::string limited(std::string_view before, const Limits& limits) {
    const std::string words = to_string(limits);
    return words == to_string(Limits{}) ? "" : std::string(before) + words;
  }
  void line(std::string_view name, std::string_view type, std::string_view value,
            std::string_view help) {
    text_ += fmt::format("{:{}}{}: {} ({}; default {})\n", "", indent_, name, help, type, value);
  }
  void nest(Options& options) {
    indent_ += 2;
    options.fields(*this);
    indent_ -= 2;
  }

  int indent_;
};

}  // namespace

std::string describe_options(Options& options, int indent) {
  Describer describer(indent);
  options.fields(describer);
  return describer.text_;
}

std::string describe_types(const std::vector<OptionType>& types, int indent) {
  std::string text;
  for (const OptionType& type : types) {
    text += fmt::format("{:{}}{}: {}\n", "", indent, type.name, type.help);
    text += describe_options(*type.make(), indent + 2);
  }
  return text;
}

}  // namespace ultr
