#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "fuzz/input_folder.h"
#include "fuzz/target.h"

/// Replays the inputs in fuzz/corpus, which fuzzers have found worth keeping.
namespace ultr::corpus_test {
namespace {

namespace fs = std::filesystem;
using fuzz::Target;

const fs::path corpus = fs::path(ULTR_SOURCE_DIR) / "fuzz/corpus";

/// Returns the names of what a folder holds, in their order.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// The targets. Their folders are made only where these tests run: other processes of tests, some
/// of which end without removing them, would leave them behind.
const std::vector<Target>& targets() {
  static const std::vector<Target> all = fuzz::targets();
  return all;
}

class CorpusTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CorpusTest, EveryInputIsAcceptedOrRefusedAndSomeAreAccepted) {
  const auto target = std::ranges::find(targets(), GetParam(), &Target::name);
  ASSERT_NE(target, targets().end()) << "expected a target of this name";
  std::size_t accepted = 0;
  const fs::path folder = corpus / GetParam();
  for (const std::string& input : names_in(folder)) {
    SCOPED_TRACE(input);
    EXPECT_NO_THROW(accepted += target->run(fuzz::read_bytes(folder / input)));
  }
  EXPECT_GT(accepted, 0u) << "expected a valid input";
}

INSTANTIATE_TEST_SUITE_P(All, CorpusTest, ::testing::ValuesIn(names_in(corpus)),
                         [](const auto& folder) { return folder.param; });

TEST(CorpusFoldersTest, EveryTargetHasOne) {
  for (const Target& target : targets())
    EXPECT_TRUE(fs::is_directory(corpus / target.name)) << target.name;
}

}  // namespace
}  // namespace ultr::corpus_test
