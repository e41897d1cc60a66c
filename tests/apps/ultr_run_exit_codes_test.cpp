#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/command_cases.h"

// Each command where the system is not as usual: its standard descriptors are full or closed,
// folders cannot be written to, names are not UTF-8.

namespace ultr::ultr_run_exit_codes_test {
namespace {

namespace fs = std::filesystem;
using testing::CommandCaseTest;
using testing::Finished;
using ::testing::HasSubstr;
using testing::Words;

/// Returns the words of a shell that runs a program with redirected descriptors.
Words redirected(const std::string& how) { return {"/bin/sh", "-c", "exec \"$0\" \"$@\" " + how}; }

class UltrRunExitCodesTest : public CommandCaseTest {
 protected:
  UltrRunExitCodesTest() {
    const testing::TemporaryFolder folder;
    copy_to(folder.path());
    undisturbed_ = testing::run_in(folder.path(), GetParam().arguments);
    EXPECT_EQ(undisturbed_.exit_code, 0) << undisturbed_.errors;
    expected_ = testing::bits_of(folder.path() / "out");
    EXPECT_FALSE(expected_.empty());
  }
  void copy_to(const fs::path& folder) const {
    fs::copy(prepared_.path(), folder, fs::copy_options::recursive);
  }

  /// Runs the command with redirected descriptors. Expects an error if standard output is lost,
  /// else the usual results.
  void expect_results(const std::string& redirection, bool loses_output) const {
    SCOPED_TRACE(GetParam().name + " " + redirection);
    const testing::TemporaryFolder folder;
    copy_to(folder.path());
    const Finished finished =
        testing::run_in(folder.path(), GetParam().arguments, redirected(redirection));
    if (loses_output && !undisturbed_.output.empty()) {
      EXPECT_EQ(finished.exit_code, 3) << finished.errors;
      testing::expect_one_error(finished);
      EXPECT_THAT(finished.errors, HasSubstr("error: standard output: cannot be written ("));
    } else {
      EXPECT_EQ(finished.exit_code, 0) << finished.errors;
      testing::expect_same_bits(testing::bits_of(folder.path() / "out"), expected_);
    }
    EXPECT_EQ(finished.output.empty(), loses_output || undisturbed_.output.empty());
  }

  Finished undisturbed_;
  std::map<std::string, std::string> expected_;
};

TEST_P(UltrRunExitCodesTest, StandardOutputThatIsFull) { expect_results(">/dev/full", true); }

TEST_P(UltrRunExitCodesTest, StandardErrorThatIsFull) { expect_results("2>/dev/full", false); }

TEST_P(UltrRunExitCodesTest, ClosedDescriptors) {
  expect_results("<&-", false);
  expect_results(">&-", true);
  expect_results("2>&-", false);
}

TEST_P(UltrRunExitCodesTest, AFolderThatCannotBeWrittenTo) {
  const testing::TemporaryFolder folder;
  copy_to(folder.path());
  const auto files = std::distance(fs::recursive_directory_iterator(folder.path()), {});
  const Finished finished =
      testing::run_in(folder.path(), GetParam().arguments,
                      {"/usr/bin/env", "READ_ONLY_FOLDER=" + fs::canonical(folder.path()).string(),
                       std::string("LD_PRELOAD=") + ULTR_READ_ONLY});
  EXPECT_THAT(finished.exit_code, ::testing::AnyOf(2, 3)) << finished.errors;
  testing::expect_one_error(finished);
  EXPECT_THAT(finished.errors, HasSubstr("Read-only file system"));
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(folder.path()), {}), files);
}

TEST_P(UltrRunExitCodesTest, InputsThatCannotBeWrittenTo) {
  if (GetParam().after_kill) GTEST_SKIP() << "its input is its output";
  const testing::TemporaryFolder folder, elsewhere;
  copy_to(folder.path());
  Words arguments = GetParam().arguments;
  const std::string out = elsewhere.path() / "out";
  for (std::string& word : arguments) {
    if (word == "out") word = out;
    if (word == "output=out") word = "output=" + out;
  }
  const Finished finished =
      testing::run_in(folder.path(), arguments,
                      {"/usr/bin/env", "READ_ONLY_FOLDER=" + fs::canonical(folder.path()).string(),
                       std::string("LD_PRELOAD=") + ULTR_READ_ONLY});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  testing::expect_same_bits(testing::bits_of(out), expected_);
}

TEST_P(UltrRunExitCodesTest, NamesThatAreNotUtf8) {
  const std::string foreign = "caf\xe9";
  for (const std::string name : {"out", "run", "shop.yaml", "simulation.yaml", "clicks.csv"}) {
    SCOPED_TRACE(GetParam().name + ": " + name);
    const testing::TemporaryFolder folder;
    copy_to(folder.path());
    const std::string renamed = foreign + fs::path(name).extension().string();
    Words arguments = GetParam().arguments;
    bool used = false;
    for (std::string& word : arguments) {
      if (word != name && word != "output=" + name) continue;
      word.replace(word.size() - name.size(), name.size(), renamed);
      used = true;
    }
    if (!used) continue;
    if (fs::exists(folder.path() / name)) fs::rename(folder.path() / name, folder.path() / renamed);
    const Finished finished = testing::run_in(folder.path(), arguments);
    if (finished.exit_code != 0) {
      EXPECT_THAT(finished.exit_code, ::testing::AnyOf(2, 3)) << finished.errors;
      testing::expect_one_error(finished);
      EXPECT_EQ(fs::exists(folder.path() / "out"), GetParam().after_kill && name != "out");
      continue;
    }
    const fs::path out = folder.path() / (name == "out" ? renamed : "out");
    if (GetParam().name == "compare")
      EXPECT_EQ(testing::bits_of(out).size(), expected_.size());  // which name the runs
    else
      testing::expect_same_bits(testing::bits_of(out), expected_);
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, UltrRunExitCodesTest,
                         ::testing::ValuesIn(testing::command_cases()), testing::name_of_case);

/// Arguments without a command, which write to standard output alone.
class UltrRunOutputOnlyTest : public ::testing::TestWithParam<Words> {};

TEST_P(UltrRunOutputOnlyTest, FailsIfOutputIsLost) {
  const testing::TemporaryFolder folder;
  folder.write("simulation.yaml", "data: {format: simulation, sessions: 300}\n");
  EXPECT_FALSE(testing::run_in(folder.path(), GetParam()).output.empty());
  for (const char* lost : {">/dev/full", ">&-"}) {
    const Finished finished = testing::run_in(folder.path(), GetParam(), redirected(lost));
    EXPECT_EQ(finished.exit_code, 3) << finished.errors;
    testing::expect_one_error(finished);
  }
  const Finished finished = testing::run_in(folder.path(), GetParam(), redirected("<&- 2>&-"));
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(folder.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Arguments, UltrRunOutputOnlyTest,
                         ::testing::Values(Words{"--help"}, Words{"--version"}, Words{"--list"},
                                           Words{"--list", "models"}, Words{"--help-options"},
                                           Words{"train", "--help"},
                                           Words{"simulation.yaml", "--dry-run"},
                                           Words{"simulation.yaml", "--check-gradients"}));

}  // namespace
}  // namespace ultr::ultr_run_exit_codes_test
