#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/run_in_process.h"
#include "experiment/task.h"
#include "testing/temporary_folder.h"

namespace ultr {

std::unique_ptr<Task> make_click_rate(const Registry&);  // examples/cookbook/click_rate.cpp

namespace cookbook_test {
namespace {

using ::testing::HasSubstr;
using testing::ProgramOutcome;

/// Runs the example of docs/cookbook/command.md as a command of the program.
ProgramOutcome run(const std::vector<std::string>& arguments) {
  std::vector<Command> commands = command_table();
  commands.push_back(
      {"click-rate", "data", "Print the click rate of training sessions by rank", make_click_rate});
  return testing::run_in_process(arguments, built_in_registry(), commands);
}

TEST(CookbookTest, ACommandIsOneFileAndOneRow) {
  const testing::TemporaryFolder folder;
  folder.write("log.txt", "1\t7\t[5, 6]\t[1, 1]\t[1, 1]\n2\t7\t[5, 6]\t[1, 1]\t[1, 0]\n");
  const std::string config =
      folder.write("log.yaml", "data: {format: tiangong, train: log.txt}\nmodel: pbm\n");
  EXPECT_EQ(run({"click-rate", config}).output, "   1  1.0000\n   2  0.5000\n");
  EXPECT_EQ(run({"click-rate", config, "--ranks", "1", "--percent"}).output, "   1  100.00 %\n");
  EXPECT_EQ(run({"click-rate", config, "--ranks", "0"}).error,
            "error: --ranks: ranks is '0'; expected a whole number at least 1\n");
  EXPECT_THAT(run({"--help"}).output, HasSubstr("Print the click rate of training sessions"));
  EXPECT_THAT(run({"click-rate", "--help"}).output, HasSubstr("--ranks COUNT=10"));
}

TEST(CookbookTest, ThePageShowsTheExampleAsItIs) {
  const std::string root = ULTR_SOURCE_DIR;
  EXPECT_THAT(testing::read_text(root + "/docs/cookbook/command.md"),
              HasSubstr("```cpp\n" +
                        testing::read_text(root + "/examples/cookbook/click_rate.cpp") + "```\n"));
}

}  // namespace
}  // namespace cookbook_test
}  // namespace ultr
