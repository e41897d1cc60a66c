#include <cstdlib>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/command_cases.h"

// Calls to the file system that go wrong, one at a time, for each command.

namespace ultr::ultr_run_faults_test {
namespace {

namespace fs = std::filesystem;
using testing::CommandCaseTest;
using testing::Finished;
using testing::read_text;
using testing::Words;

class UltrRunFaultsTest : public CommandCaseTest {
 protected:
  /// Runs the command with a fault at the call with this number; 0: none.
  static Finished run(const fs::path& folder, const std::string& fault, long at,
                      const fs::path& count = {}) {
    return testing::run_in(
        folder, GetParam().arguments,
        {"/usr/bin/env", "FAULT_FOLDER=" + fs::canonical(folder).string(), "FAULT=" + fault,
         "FAULT_AT=" + std::to_string(at), "FAULT_COUNT=" + count.string(),
         std::string("LD_PRELOAD=") + ULTR_FILE_FAULTS});
  }
};

TEST_P(UltrRunFaultsTest, DoNoHarm) {
  const testing::TemporaryFolder whole, elsewhere;
  fs::copy(prepared_.path(), whole.path(), fs::copy_options::recursive);
  const fs::path count = elsewhere.path() / "count";
  const Finished undisturbed = run(whole.path(), "", 0, count);
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.errors;
  const auto expected = testing::bits_of(whole.path() / "out");
  ASSERT_FALSE(expected.empty());
  const long calls = std::stol(read_text(count));
  ASSERT_GT(calls, 10);
  const long step = std::getenv("ULTR_NIGHTLY") != nullptr ? 1 : 61;
  long begin = 1;
  for (const std::string fault : {"fail", "shorten", "kill"}) {
    for (long at = begin; at <= calls; at += step) {
      SCOPED_TRACE(fmt::format("{}: {} at call {}", GetParam().name, fault, at));
      const testing::TemporaryFolder copy;
      fs::copy(prepared_.path(), copy.path(), fs::copy_options::recursive);
      const Finished finished = run(copy.path(), fault, at);
      if (fault == "shorten") {
        EXPECT_EQ(finished.exit_code, 0) << finished.errors;
      } else if (fault == "kill") {
        EXPECT_THAT(finished.exit_code, ::testing::AnyOf(0, 137)) << finished.errors;
      } else {
        EXPECT_LT(finished.exit_code, 124) << finished.errors;
      }
      expect_no_harm(copy.path(), finished, expected);
    }
    if (step > 1) ++begin;
  }
  if (step == 1) fmt::print("{}: {} calls, {} faults\n", GetParam().name, calls, 3 * calls);
}

INSTANTIATE_TEST_SUITE_P(Commands, UltrRunFaultsTest, ::testing::ValuesIn(testing::command_cases()),
                         testing::name_of_case);

}  // namespace
}  // namespace ultr::ultr_run_faults_test
