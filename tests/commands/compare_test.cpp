#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/run_command.h"
#include "testing/run_folders.h"

namespace ultr::compare_test {
namespace {

namespace fs = std::filesystem;

using testing::config_message;
using ::testing::HasSubstr;
using testing::read_text;
using testing::RunFolders;

class CompareTest : public ::testing::Test {
 protected:
  std::string compared(const fs::path& output) {
    ::testing::internal::CaptureStdout();
    compare_into({a_, b_}, output);
    return ::testing::internal::GetCapturedStdout();
  }
  static void compare_into(const std::vector<std::string>& runs, const fs::path& output) {
    testing::run_command("compare", fmt::format("{{runs: {}, output: '{}'}}",
                                                testing::yaml_list(runs), output.string()));
  }

  RunFolders folders_;
  fs::path a_ = folders_.add("a", "seed: 1, lr: 1", R"({"test": {"ppl": 1.5}})");
  fs::path b_ = folders_.add("b", "seed: 1, lr: 2", R"({"test": {"ppl": 1.25}})");
};

TEST_F(CompareTest, PrintsAndWritesNothingUnlessAsked) {
  EXPECT_THAT(compared(""), HasSubstr(" 2     1   1.25000"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folders_.path()), {}), 2);
}

TEST_F(CompareTest, WritesThreeFilesOverThoseBefore) {
  const fs::path output = folders_.path() / "new/folder";
  EXPECT_THAT(compared(output),
              HasSubstr("comparison in " + (output / "comparison.html").string() + "\n"));
  const std::string first = read_text(output / "comparison.json");
  folders_.write("new/folder/comparison.json", "old");
  compared(output);
  EXPECT_EQ(read_text(output / "comparison.json"), first);
  EXPECT_THAT(read_text(output / "comparison.csv"), HasSubstr("test.ppl,lr=2,2,1,0,1.25,"));
  EXPECT_THAT(read_text(output / "comparison.html"), HasSubstr("<!DOCTYPE html>"));
}

TEST_F(CompareTest, RefusesAnOutputThatIsNoFolder) {
  folders_.write("file", "");
  for (const char* output : {"file", "file/below"})
    EXPECT_THAT(config_message([&] { compare_into({a_}, folders_.path() / output); }),
                HasSubstr("cannot be created"))
        << output;
}

}  // namespace
}  // namespace ultr::compare_test
