#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "experiment/experiment_options.h"
#include "layers/compression.h"
#include "layers/compressions.h"
#include "optim/schedule.h"
#include "options/help.h"
#include "options/read.h"
#include "options/write.h"

namespace ultr::component_types_test {
namespace {

using ::testing::HasSubstr;

/// A type from one of the component tables.
struct Component {
  std::string table;
  const OptionType* type;
};

std::ostream& operator<<(std::ostream& out, const Component& component) {
  return out << component.table << " " << component.type->name;
}

std::vector<Component> all_components() {
  static const Registry registry = built_in_registry();
  static const std::vector<OptionType> whole = {
      {"experiment", "All that a configuration may say.",
       []() -> std::unique_ptr<Options> { return std::make_unique<ExperimentOptions>(registry); }}};
  std::vector<Component> all;
  const auto add = [&](const std::string& table, const std::vector<OptionType>& types) {
    for (const OptionType& type : types) all.push_back({table, &type});
  };
  add("layer", registry.layers());
  add("compression", compression_types());
  add("optimizer", registry.optimizers());
  add("schedule", schedule_types());
  add("model", registry.models());
  add("data", registry.data());
  add("whole", whole);
  return all;
}

/// Checks the name, help and default of every field.
class Inspector final : public Fields {
 public:
  void boolean(std::string_view name, bool&, std::string_view help) override { field(name, help); }
  void integer(std::string_view name, std::int64_t& value, std::string_view help,
               Limits limits) override {
    field(name, help);
    contain(name, limits, static_cast<double>(value));
  }
  void number(std::string_view name, double& value, std::string_view help, Limits limits) override {
    field(name, help);
    contain(name, limits, value);
  }
  void optional_number(std::string_view name, std::optional<double>& value, std::string_view help,
                       Limits limits) override {
    field(name, help);
    if (value) contain(name, limits, *value);
  }
  void text(std::string_view name, std::string&, std::string_view help) override {
    field(name, help);
  }
  void word(std::string_view name, std::string& value, std::string_view help,
            const std::vector<std::string>& words) override {
    field(name, help);
    EXPECT_THAT(words, ::testing::Contains(value)) << "the default of " << name;
  }
  void integers(std::string_view name, std::vector<std::int64_t>& values, std::string_view help,
                Limits limits) override {
    field(name, help);
    for (const std::int64_t value : values) contain(name, limits, static_cast<double>(value));
  }
  void numbers(std::string_view name, std::vector<double>& values, std::string_view help,
               Limits limits) override {
    field(name, help);
    for (const double value : values) contain(name, limits, value);
  }
  void texts(std::string_view name, std::vector<std::string>&, std::string_view help) override {
    field(name, help);
  }
  void section(std::string_view name, Options& options, std::string_view help) override {
    field(name, help);
    Inspector inner;
    options.fields(inner);
  }
  void choice(std::string_view name, Choice& choice, std::string_view help) override {
    field(name, help);
    Inspector inner;
    inner.field(choice.key, "The type.");
    choice.options->fields(inner);
  }
  void choices(std::string_view name, std::vector<Choice>&, const std::vector<OptionType>& table,
               std::string_view help) override {
    field(name, help);
    EXPECT_THAT(table, ::testing::Not(::testing::IsEmpty())) << name;
  }
  void inline_choice(Choice& choice, std::string_view help) override {
    field(choice.key, help);
    choice.options->fields(*this);
  }

 private:
  void field(std::string_view name, std::string_view help) {
    EXPECT_TRUE(names_.insert(std::string(name)).second) << name << " is declared twice";
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string_view::npos)
        << name << " is not in snake_case";
    EXPECT_FALSE(help.empty()) << name << " has no help";
    EXPECT_EQ(help.find('\n'), std::string_view::npos) << name;
    EXPECT_TRUE(help.ends_with('.')) << name << ": " << help;
  }

  static void contain(std::string_view name, const Limits& limits, double value) {
    EXPECT_TRUE(limits.contain(value))
        << "the default of " << name << " is " << value << ", not " << to_string(limits);
  }

  std::set<std::string> names_;
};

class EveryComponentTest : public ::testing::TestWithParam<Component> {};

TEST_P(EveryComponentTest, DefaultsAreReadAsTheyAreWritten) {
  const auto options = GetParam().type->make();
  const std::string written = write_options(*options);
  const auto back = GetParam().type->make();
  read_options(parse_config(written, "written.yaml"), *back);
  EXPECT_EQ(write_options(*back), written);
}

TEST_P(EveryComponentTest, FieldsHaveHelpAndDefaultsWithinTheirLimits) {
  Inspector inspector;
  GetParam().type->make()->fields(inspector);
  EXPECT_TRUE(GetParam().type->help.ends_with('.')) << GetParam().type->help;
}

TEST_P(EveryComponentTest, RefusesAnUnknownKey) {
  const auto options = GetParam().type->make();
  try {
    read_options(parse_config("no_such_key_anywhere: 1", "f.yaml"), *options);
    ADD_FAILURE() << "no ConfigError";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("f.yaml:1:1: unknown key 'no_such_key_anywhere'; expected"));
  }
}

TEST_P(EveryComponentTest, IsDescribed) {
  const OptionType& type = *GetParam().type;
  const std::string description = describe_types({type});
  EXPECT_THAT(description, ::testing::StartsWith(type.name + ": " + type.help + "\n"));
  EXPECT_THAT(description, HasSubstr(describe_options(*type.make(), 2)));
}

INSTANTIATE_TEST_SUITE_P(Components, EveryComponentTest, ::testing::ValuesIn(all_components()),
                         [](const auto& component) {
                           return component.param.table + "_" + component.param.type->name;
                         });

TEST(ComponentTablesTest, NamesAreUnique) {
  std::set<std::pair<std::string, std::string>> names;
  for (const Component& component : all_components())
    EXPECT_TRUE(names.insert({component.table, component.type->name}).second) << component;
}

}  // namespace
}  // namespace ultr::component_types_test
