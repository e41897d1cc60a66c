#include "commands/command_table.h"

#include <CLI/CLI.hpp>
#include <set>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/command_line.h"
#include "commands/run_in_process.h"
#include "options/config_tree.h"
#include "options/write.h"

namespace ultr::command_table_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ProgramOutcome;
using testing::run_in_process;
using ::testing::StartsWith;

/// Returns an option's own name: "--output" of "-o,--output".
std::string long_name(const Argument& argument) {
  const std::string names = argument.names();
  const std::string rest = names.substr(names.find("--"));
  return rest.substr(0, rest.find(','));
}

/// Returns a value that is not the argument's default.
std::string other_value(const Argument& argument) {
  if (const auto bar = argument.placeholder.find('|'); bar != std::string::npos) {
    const std::string first = argument.placeholder.substr(0, bar);
    if (first != argument.default_value) return first;
    const std::string others = argument.placeholder.substr(bar + 1);
    return others.substr(0, others.find('|'));
  }
  const std::string& number = argument.default_value;
  if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos)
    return std::to_string(std::stoll(number) + 1);
  return argument.placeholder == "NUMBER" ? "0.5" : "changed";
}

/// Returns command-line arguments that set one argument.
std::vector<std::string> set(const Argument& argument, const std::string& value) {
  if (argument.is_positional()) return {value};
  if (argument.kind == Argument::Kind::flag) return {long_name(argument)};
  return {long_name(argument), value};
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

class CommandTest : public ::testing::TestWithParam<Command> {
 protected:
  const Registry registry_ = built_in_registry();
  const std::unique_ptr<Task> task_ = GetParam().make(registry_);
  const std::vector<Argument> arguments_ = arguments_of(*task_);

  /// Returns all required arguments but `but`.
  std::vector<std::string> required(const std::string& but = "") const {
    std::vector<std::string> all;
    for (const Argument& argument : arguments_)
      if (argument.is_required() && argument.field != but) append(all, set(argument, "given"));
    return all;
  }
  ProgramOutcome run(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {GetParam().name};
    append(arguments, more);
    return run_in_process(arguments);
  }
};

TEST_P(CommandTest, HelpHasEveryArgumentWithItsDefault) {
  const ProgramOutcome outcome = run({"--help"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.output, StartsWith(GetParam().help + "\n"));
  EXPECT_THAT(outcome.output, HasSubstr("my-program " + GetParam().name));
  ASSERT_FALSE(arguments_.empty());
  for (const Argument& argument : arguments_) {
    EXPECT_THAT(outcome.output,
                HasSubstr(argument.is_positional() ? argument.field : long_name(argument)));
    EXPECT_THAT(outcome.output, HasSubstr(argument.help));
    if (argument.kind == Argument::Kind::flag) continue;
    const std::string value = argument.default_value.empty() ? "" : "=" + argument.default_value;
    EXPECT_THAT(outcome.output, HasSubstr(" " + argument.placeholder + value));
  }
}

TEST_P(CommandTest, UnknownOptionsAreOneLine) {
  std::vector<std::string> arguments = required();
  arguments.emplace_back("--nonsense-option");
  const ProgramOutcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.error,
            fmt::format("error: my-program {0} has no option --nonsense-option; see my-program {0} "
                        "--help\n",
                        GetParam().name));
}

TEST_P(CommandTest, MissingArgumentsAreOneLine) {
  for (const Argument& argument : arguments_) {
    if (!argument.is_required()) continue;
    const ProgramOutcome outcome = run({});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.error, AllOf(StartsWith("error: "), HasSubstr(" is required")));
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  }
}

TEST_P(CommandTest, EveryFieldCanBeSet) {
  for (const Argument& argument : arguments_) {
    CLI::App app;
    const std::unique_ptr<Task> task = GetParam().make(registry_);
    CommandLine line(app, *task);
    const std::string value = other_value(argument);
    // Positional arguments are in the order of the fields.
    std::vector<std::string> arguments;
    for (const Argument& other : arguments_)
      if (other.field == argument.field)
        append(arguments, set(argument, value));
      else if (other.is_required() || (other.is_positional() && argument.is_positional()))
        append(arguments, set(other, "given"));
    std::reverse(arguments.begin(), arguments.end());  // which CLI11 takes from the back
    ASSERT_NO_THROW(app.parse(arguments)) << argument.field;
    line.read();
    const ConfigNode options = parse_config(write_options(*task), "options");
    const ConfigNode* node = options.find(argument.field);
    ASSERT_NE(node, nullptr) << argument.field;
    if (argument.is_list()) node = &node->items.at(0);
    EXPECT_EQ(node->scalar, argument.kind == Argument::Kind::flag ? "true" : value)
        << argument.field;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, CommandTest, ::testing::ValuesIn(command_table()),
                         [](const auto& command) {
                           std::string name = command.param.name;
                           std::erase(name, '-');
                           return name;
                         });

TEST(CommandTableTest, RowsAreCompleteAndTheProgramListsThem) {
  const std::string help = run_in_process({"--help"}).output;
  std::set<std::string> names;
  for (const Command& command : command_table()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.help.empty() || command.help.ends_with('.')) << command.name;
    EXPECT_EQ(command.help.find('\n'), std::string::npos) << command.name;
    EXPECT_THAT(help, HasSubstr("Commands (" + command.group + "):\n"));
    EXPECT_THAT(help, HasSubstr("\n  " + command.name + " "));
    EXPECT_THAT(help, HasSubstr(command.help));
  }
  EXPECT_EQ(names.size(), 12u);
}

TEST(CommandTableTest, AnalysesHaveTheSameFieldsAsTheirCommands) {
  const Registry registry = built_in_registry();
  const auto analysis = [&](const char* type) { return Choice(registry.analyses(), type); };
  const auto fields = [](Task& task) {
    std::vector<std::string> names;
    for (const Argument& argument : arguments_of(task)) names.push_back(argument.field);
    return names;
  };
  EXPECT_THAT(fields(analysis("diagnosis").as<Task>()),
              ElementsAre("data", "run", "sample", "bias_groups"));
  EXPECT_THAT(fields(analysis("position_bias").as<Task>()),
              ElementsAre("data", "methods", "pivot", "resamples", "passes"));
  for (const Command& command : command_table()) {
    const std::vector<std::string> names = fields(*command.make(registry));
    if (command.name == "diagnose") {
      EXPECT_THAT(names,
                  ElementsAre("config", "overrides", "run", "sample", "bias_groups", "output"));
    } else if (command.name == "estimate-bias") {
      EXPECT_THAT(names, ElementsAre("config", "overrides", "methods", "pivot", "resamples",
                                     "passes", "output"));
    }
  }
}

TEST(CommandTableTest, DefaultsOfTheCommandLineMayDiffer) {
  EXPECT_THAT(run_in_process({"estimate-bias", "--help"}).output,
              HasSubstr("--resamples COUNT=200 "));
  const Registry registry = built_in_registry();
  EXPECT_THAT(write_options(*Choice(registry.analyses(), "position_bias").options),
              HasSubstr("resamples: 0\n"));
}

}  // namespace
}  // namespace ultr::command_table_test
