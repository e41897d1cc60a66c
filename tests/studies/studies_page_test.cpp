#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "studies/run_study.h"
#include "studies/study.h"
#include "testing/temporary_folder.h"

namespace ultr::studies_page_test {
namespace {

/// Returns the blocks of YAML in a page of Markdown.
std::vector<std::string> yaml_blocks(const std::string& file) {
  std::vector<std::string> blocks;
  std::ifstream page(file);
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```yaml")
      blocks.emplace_back();
    else if (inside && line != "```")
      blocks.back() += line + "\n";
    inside = line == "```yaml" || (inside && line != "```");
  }
  return blocks;
}

TEST(StudiesPageTest, ExamplesAreValid) {
  const testing::TemporaryFolder folder;
  std::size_t studies = 0;
  for (const std::string& block : yaml_blocks(ULTR_SOURCE_DIR "/docs/studies.md")) {
    SCOPED_TRACE(block);
    if (!is_study(parse_config(block, "docs/studies.md"))) continue;
    check_study(read_study(folder.write("study.yaml", block), {}));
    ++studies;
  }
  EXPECT_GE(studies, 1u);
}

}  // namespace
}  // namespace ultr::studies_page_test
