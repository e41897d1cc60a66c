#include <cmath>
#include <cstdlib>
#include <set>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/command_cases.h"

// Allocations that fail, one at a time, for each command.

namespace ultr::ultr_run_allocations_test {
namespace {

namespace fs = std::filesystem;
using testing::CommandCaseTest;
using testing::Finished;

class UltrRunAllocationsTest : public CommandCaseTest {
 protected:
  /// Runs the command while `faults` allocations fail from this one on; 0: none.
  static Finished run(const fs::path& folder, long at, long faults, const fs::path& count = {}) {
    return testing::run_in(
        folder, GetParam().arguments,
        {"/usr/bin/env", "ALLOCATION_FAULT=" + std::to_string(at),
         "ALLOCATION_FAULTS=" + std::to_string(faults), "ALLOCATION_COUNT=" + count.string(),
         std::string("LD_PRELOAD=") + ULTR_ALLOCATION_FAULTS});
  }
  /// Returns allocations out of so many: the first ones, and later ones ever further apart.
  static std::set<long> chosen(long allocations) {
    const bool nightly = std::getenv("ULTR_NIGHTLY") != nullptr;
    const long cases = nightly ? 150 : 8;
    std::set<long> numbers;
    for (long i = 0; i < cases; ++i)
      numbers.insert(std::lround(
          std::pow(allocations, (static_cast<double>(i) + 0.5) / static_cast<double>(cases))));
    return numbers;
  }
  static void expect_no_temporary_files(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }
};

TEST_P(UltrRunAllocationsTest, FailWithoutHarm) {
  const testing::TemporaryFolder whole, elsewhere;
  fs::copy(prepared_.path(), whole.path(), fs::copy_options::recursive);
  const fs::path count = elsewhere.path() / "count";
  const Finished undisturbed = run(whole.path(), 0, 0, count);
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.errors;
  const auto expected = testing::bits_of(whole.path() / "out");
  ASSERT_FALSE(expected.empty());
  const long allocations = std::stol(testing::read_text(count));
  if (allocations == 0) GTEST_SKIP() << "a sanitizer has taken the place of malloc";
  int failed = 0, tried = 0;
  for (const long at : chosen(allocations)) {
    for (const long faults : {1L, 1000000000L}) {
      SCOPED_TRACE(fmt::format("{}: {} allocations from {} on", GetParam().name, faults, at));
      const testing::TemporaryFolder copy;
      fs::copy(prepared_.path(), copy.path(), fs::copy_options::recursive);
      const Finished finished = run(copy.path(), at, faults);
      ASSERT_LT(finished.exit_code, 4) << finished.exit_code << ": " << finished.errors;
      if (faults == 1) expect_no_temporary_files(copy.path());  // deleting folders takes memory
      expect_no_harm(copy.path(), finished, expected);
      failed += finished.exit_code == 0 ? 0 : 1;
      ++tried;
    }
  }
  EXPECT_GT(failed, tried / 2);
  if (std::getenv("ULTR_NIGHTLY") != nullptr)
    fmt::print("{}: {} allocations, {} faults, {} errors\n", GetParam().name, allocations, tried,
               failed);
}

INSTANTIATE_TEST_SUITE_P(Commands, UltrRunAllocationsTest,
                         ::testing::ValuesIn(testing::command_cases()), testing::name_of_case);

}  // namespace
}  // namespace ultr::ultr_run_allocations_test
