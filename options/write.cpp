#include "options/write.h"

#include <fmt/format.h>
#include <yaml-cpp/emitter.h>

#include "options/yaml_text.h"

namespace ultr {
namespace {

class Writer : public Fields {
 public:
  explicit Writer(YAML::Emitter& out) : out_(out) {}

  void boolean(std::string_view name, bool& value, std::string_view) override {
    key(name) << value;
  }
  void integer(std::string_view name, std::int64_t& value, std::string_view, Limits) override {
    key(name) << value;
  }
  void number(std::string_view name, double& value, std::string_view, Limits) override {
    key(name) << shortest(value);
  }
  void optional_number(std::string_view name, std::optional<double>& value, std::string_view,
                       Limits) override {
    if (value)
      key(name) << shortest(*value);
    else
      key(name) << YAML::Null;
  }
  void text(std::string_view name, std::string& value, std::string_view) override {
    key(name) << YamlText{value};
  }
  void word(std::string_view name, std::string& value, std::string_view,
            const std::vector<std::string>&) override {
    key(name) << value;
  }
  void integers(std::string_view name, std::vector<std::int64_t>& values, std::string_view,
                Limits) override {
    list(name, values, [](std::int64_t value) { return value; });
  }
  void numbers(std::string_view name, std::vector<double>& values, std::string_view,
               Limits) override {
    list(name, values, shortest);
  }
  void texts(std::string_view name, std::vector<std::string>& values, std::string_view) override {
    list(name, values, [](const std::string& value) { return YamlText{value}; });
  }
  void section(std::string_view name, Options& options, std::string_view) override {
    key(name) << YAML::BeginMap;
    options.fields(*this);
    out_ << YAML::EndMap;
  }
  void choice(std::string_view name, Choice& choice, std::string_view) override {
    key(name);
    write(choice);
  }
  void choices(std::string_view name, std::vector<Choice>& choices, const std::vector<OptionType>&,
               std::string_view) override {
    key(name) << YAML::BeginSeq;
    for (Choice& choice : choices) write(choice);
    out_ << YAML::EndSeq;
  }
  void inline_choice(Choice& choice, std::string_view) override {
    key(choice.key) << choice.type;
    choice.options->fields(*this);
  }

 private:
  /// Formats a number with the fewest digits that read back as the same double.
  static std::string shortest(double value) { return fmt::format("{}", value); }

  void write(Choice& choice) {
    out_ << YAML::BeginMap;
    inline_choice(choice, {});
    out_ << YAML::EndMap;
  }

  YAML::Emitter& key(std::string_view name) {
    out_ << YAML::Key << std::string(name) << YAML::Value;
    return out_;
  }

  template <class T, class Show>
  void list(std::string_view name, const std::vector<T>& values, Show show) {
    key(name) << YAML::Flow << YAML::BeginSeq;
    for (const T& value : values) out_ << show(value);
    out_ << YAML::EndSeq;
  }

  YAML::Emitter& out_;
};

}  // namespace

std::string write_options(Options& options) {
  YAML::Emitter out;
  Writer writer(out);
  out << YAML::BeginMap;
  options.fields(writer);
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace ultr
