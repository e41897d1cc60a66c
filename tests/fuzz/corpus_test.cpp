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

std::vector<fs::path> inputs_of(const Target& target) {
  std::vector<fs::path> inputs;
  if (fs::is_directory(corpus / target.name))
    for (const auto& entry : fs::directory_iterator(corpus / target.name))
      inputs.push_back(entry.path());
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

class CorpusTest : public ::testing::TestWithParam<Target> {};

TEST_P(CorpusTest, EveryInputIsAcceptedOrRefusedAndSomeAreAccepted) {
  std::size_t accepted = 0;
  for (const fs::path& input : inputs_of(GetParam())) {
    SCOPED_TRACE(input.filename().string());
    EXPECT_NO_THROW(accepted += GetParam().run(fuzz::read_bytes(input)));
  }
  EXPECT_GT(accepted, 0u) << "expected a valid input in " << corpus / GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(All, CorpusTest, ::testing::ValuesIn(fuzz::targets()),
                         [](const auto& target) { return target.param.name; });

TEST(CorpusFoldersTest, EachBelongsToATarget) {
  const std::vector<Target> targets = fuzz::targets();
  for (const auto& entry : fs::directory_iterator(corpus))
    EXPECT_TRUE(std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
      return target.name == entry.path().filename();
    })) << entry.path();
}

}  // namespace
}  // namespace ultr::corpus_test
