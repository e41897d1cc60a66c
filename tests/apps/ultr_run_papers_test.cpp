#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "options/config_tree.h"
#include "testing/golden.h"

namespace ultr::ultr_run_papers_test {
namespace {

namespace fs = std::filesystem;

using testing::Finished;
using ::testing::HasSubstr;
using testing::run_program;

std::vector<fs::path> studies() {
  std::vector<fs::path> files;
  for (const char* folder : {"configs/papers", "configs/labels", "configs/trees"})
    for (const auto& entry : fs::directory_iterator(fs::path(ULTR_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class PapersSlowTest : public ::testing::TestWithParam<fs::path> {};

TEST_P(PapersSlowTest, EveryStudyIsValidAndHasExpectations) {
  const Finished finished =
      run_program(ULTR_RUN, {GetParam().string(), "--dry-run", "output=/tmp/ultr-papers-dry-run"},
                  ULTR_SOURCE_DIR);
  if (finished.exit_code == 3 && !testing::data_folder()) GTEST_SKIP() << finished.errors;
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("\n# expects "));
  const ConfigNode study = read_config(GetParam());
  EXPECT_EQ(study.find("study")->scalar, GetParam().stem().string());
  EXPECT_NE(study.find("paper"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Papers, PapersSlowTest, ::testing::ValuesIn(studies()),
                         [](const auto& file) { return file.param.stem().string(); });

/// Every list of the study has one order, so that a table of documents, the default of both
/// options, could give all clicks to the rank or all to the document.
TEST(ConfoundingStudyTest, TowersEstimateItsPolicyAndRelevance) {
  const ConfigNode study =
      read_config(fs::path(ULTR_SOURCE_DIR) / "configs/papers/confounding.yaml");
  const ConfigNode* variant = study.find("variants")->find("backdoor");
  ASSERT_NE(variant, nullptr);
  for (const char* estimate : {"policy", "estimated_relevance"}) {
    const ConfigNode* layer = variant->find("loss")->find(estimate);
    ASSERT_TRUE(layer != nullptr && layer->find("type") != nullptr) << estimate;
    EXPECT_EQ(layer->find("type")->scalar, "mlp") << estimate;
  }
}

}  // namespace
}  // namespace ultr::ultr_run_papers_test
