#include "commands/command_line.h"

#include <CLI/CLI.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/config_tree.h"
#include "options/every_field.h"
#include "options/write.h"
#include "testing/errors.h"

namespace ultr::command_line_test {
namespace {

using testing::config_message;
using ::testing::HasSubstr;

/// A task with the fields of T.
template <class T>
struct TaskOf final : Task {
  T options;

  void fields(Fields& f) override { options.fields(f); }
  TaskResults run(const TaskContext&) override { return {}; }
};

/// Parses a command line and returns the options that it sets.
template <class T>
T parsed(std::vector<std::string> arguments) {
  CLI::App app;
  TaskOf<T> task;
  CommandLine line(app, task);
  std::reverse(arguments.begin(), arguments.end());  // which CLI11 takes from the back
  app.parse(arguments);
  line.read();
  return std::move(task.options);
}

using testing::EveryField;

TEST(ArgumentsTest, NamesFollowTheFields) {
  TaskOf<EveryField> task;
  std::vector<std::string> names;
  for (const Argument& argument : arguments_of(task)) names.push_back(argument.names());
  EXPECT_THAT(names,
              ::testing::ElementsAre("--flag,!--no-flag", "--count", "--any-count", "--rate",
                                     "--any-rate", "--start", "--end", "--title", "--mode",
                                     "--cutoff,--cutoffs", "--weight,--weights", "--file,--files",
                                     "--inner.ratio", "--inner.note", "--shape"));
}

TEST(ArgumentsTest, HelpHasLimitsAndDefaults) {
  TaskOf<EveryField> task;
  const std::vector<Argument> all = arguments_of(task);
  EXPECT_EQ(all[1].help, "Help of count. (at least 1)");
  EXPECT_EQ(all[1].default_value, "3");
  EXPECT_EQ(all[2].help, "Help of any_count.");
  EXPECT_EQ(all[5].default_value, "null");
  EXPECT_EQ(all[8].placeholder, "fast|slow");
  EXPECT_EQ(all[9].default_value, "1 3");
}

TEST(ArgumentsTest, EveryKindOfFieldIsRead) {
  const EveryField none = parsed<EveryField>({});
  EXPECT_TRUE(none.flag);
  EXPECT_EQ(none.cutoffs, (std::vector<std::int64_t>{1, 3}));
  const EveryField options = parsed<EveryField>({"--no-flag",
                                                 "--count",
                                                 "1e3",
                                                 "--any-count=-7",
                                                 "--rate=0.25",
                                                 "--any-rate",
                                                 "-1.5",
                                                 "--start=0.5",
                                                 "--end=null",
                                                 "--title",
                                                 "a: b",
                                                 "--mode",
                                                 "slow",
                                                 "--cutoff",
                                                 "2",
                                                 "--cutoffs=4",
                                                 "--weight",
                                                 "0",
                                                 "--file",
                                                 "[x, y]",
                                                 "--inner.ratio=0.75",
                                                 "--shape",
                                                 "{kind: circle, radius: 5}"});
  EXPECT_FALSE(options.flag);
  EXPECT_EQ(options.count, 1000);
  EXPECT_EQ(options.any_count, -7);
  EXPECT_EQ(options.rate, 0.25);
  EXPECT_EQ(options.any_rate, -1.5);
  EXPECT_EQ(options.start, 0.5);
  EXPECT_EQ(options.end, std::nullopt);
  EXPECT_EQ(options.title, "a: b");
  EXPECT_EQ(options.mode, "slow");
  EXPECT_EQ(options.cutoffs, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(options.weights, std::vector<double>{0});
  EXPECT_EQ(options.files, std::vector<std::string>{"[x, y]"});
  EXPECT_EQ(options.inner.ratio, 0.75);
  EXPECT_EQ(options.shape.as<testing::CircleOptions>().radius, 5);
}

TEST(ArgumentsTest, FieldsOfEveryTypeOfAnInlineChoiceAreOptions) {
  const auto drawing = parsed<testing::Drawing>({"--shape", "circle", "--radius", "7"});
  EXPECT_EQ(drawing.shape.as<testing::CircleOptions>().radius, 7);
  EXPECT_THAT(config_message([] {
                parsed<testing::Drawing>({"--radius", "7"});
              }),
              HasSubstr("goes with shape 'circle', but shape is 'point'"));
}

TEST(ArgumentsTest, ErrorsNameTheOption) {
  const auto message = [](const std::vector<std::string>& arguments) {
    return config_message([&] { parsed<EveryField>(arguments); });
  };
  EXPECT_EQ(message({"--count", "0"}), "--count: count is '0'; expected a whole number at least 1");
  EXPECT_EQ(message({"--count", "x"}), "--count: count is 'x'; expected a whole number");
  EXPECT_EQ(message({"--mode", "fats"}),
            "--mode: mode is 'fats'; expected one of fast, slow (did you mean 'fast'?)");
  EXPECT_EQ(message({"--cutoff", "1", "--cutoff", "11"}),
            "--cutoff: cutoffs is '11'; expected a whole number at least 1 and at most 10");
  EXPECT_EQ(message({"--inner.ratio", "1"}),
            "--inner.ratio: inner.ratio is '1'; expected above 0 and below 1");
  EXPECT_THAT(message({"--shape", "square"}), HasSubstr("shape is 'square'; expected one of"));
}

}  // namespace
}  // namespace ultr::command_line_test
