#include "options/help.h"

#include <fmt/format.h>

#include "options/field_describer.h"

namespace ultr {
namespace {

class Describer final : public FieldDescriber {
 public:
  explicit Describer(int indent) : indent_(indent) {}
  std::string text_;

  void section(std::string_view name, Options& options, std::string_view help) override {
    text_ += fmt::format("{:{}}{}: {}\n", "", indent_, name, help);
    text_ += describe_options(options, indent_ + 2);
  }
  void choice(std::string_view name, Choice& choice, std::string_view help) override {
    text_ += fmt::format("{:{}}{}: {}\n", "", indent_, name, help);
    text_ += fmt::format("{:{}}{}: {} (default {})\n", "", indent_ + 2, choice.key,
                         names_of(*choice.types), value_of(choice));
  }
  void choices(std::string_view name, std::vector<Choice>& choices,
               const std::vector<OptionType>& table, std::string_view help) override {
    field(name, fmt::format("list of types or sections with a type: {}", names_of(table)),
          value_of(choices), help);
  }
  void inline_choice(Choice& choice, std::string_view help) override {
    field(choice.key, names_of(*choice.types), choice.type, help);
    text_ += describe_types(*choice.types, indent_ + 2);
  }

 private:
  void field(std::string_view name, const std::string& type, const std::string& value,
             std::string_view help) override {
    text_ += fmt::format("{:{}}{}: {} ({}; default {})\n", "", indent_, name, help, type,
                         value.empty() ? "none" : value);
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
