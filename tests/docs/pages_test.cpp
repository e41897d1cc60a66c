#include "docs/pages.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/config_tree.h"
#include "testing/golden.h"
#include "testing/subprocess.h"

namespace ultr::pages_test {
namespace {

namespace fs = std::filesystem;

using testing::all_code_blocks;
using testing::CodeBlock;
using ::testing::Contains;
using testing::Finished;
using ::testing::HasSubstr;

/// The name of a test of one page: its path, with what names may not have replaced.
std::string page_name(const ::testing::TestParamInfo<std::string>& test) {
  return std::regex_replace(test.param, std::regex("[^A-Za-z0-9]"), "_");
}

class PageTest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Pages, PageTest, ::testing::ValuesIn(testing::documentation_pages()),
                         page_name);

TEST_P(PageTest, LinksLeadToFilesAndHeadingsThatExist) {
  const fs::path root = ULTR_SOURCE_DIR;
  for (const std::string& link : testing::links(GetParam())) {
    if (link.starts_with("http")) continue;
    const std::size_t hash = link.find('#');
    const std::string file = link.substr(0, hash);
    const fs::path target = file.empty()
                                ? fs::path(GetParam())
                                : (fs::path(GetParam()).parent_path() / file).lexically_normal();
    EXPECT_TRUE(fs::exists(root / target)) << GetParam() << ": " << link;
    if (hash == std::string::npos || !fs::exists(root / target)) continue;
    EXPECT_THAT(testing::anchors(target), Contains(link.substr(hash + 1)))
        << GetParam() << ": " << link;
  }
}

TEST_P(PageTest, NamedSourcesExist) {
  const fs::path root = ULTR_SOURCE_DIR;
  for (const std::string& code : testing::code_spans(GetParam())) {
    static const std::regex source("[a-z_]+/[a-z0-9_/-]+[.](h|cpp|cmake|yaml)");
    if (std::regex_match(code, source) && fs::exists(root / code.substr(0, code.find('/')))) {
      EXPECT_TRUE(fs::exists(root / code)) << GetParam() << ": " << code;
    }
  }
}

TEST_P(PageTest, CodeEqualsTheFileThatItNames) {
  for (const CodeBlock& block : testing::code_blocks(GetParam())) {
    const std::string file = block.marked("file"), excerpt = block.marked("excerpt");
    if (!file.empty()) {
      EXPECT_EQ(block.text, testing::read_page(file)) << block.place();
    } else if (!excerpt.empty()) {
      EXPECT_THAT(testing::read_page(excerpt), HasSubstr(block.text)) << block.place();
    }
  }
}

TEST(Pages, CookbookCodeNamesItsFile) {
  std::size_t blocks = 0;
  for (const CodeBlock& block : all_code_blocks("cpp")) {
    if (block.page != "docs/cookbook/model.md" && block.page != "docs/cookbook/loss.md") continue;
    EXPECT_FALSE(block.marked("file").empty()) << block.place();
    ++blocks;
  }
  EXPECT_GE(blocks, 6u);
}

TEST(Pages, YamlIsValid) {
  for (const CodeBlock& block : all_code_blocks("yaml"))
    EXPECT_NO_THROW(parse_config(block.text, block.place()));
}

/// The options in a page are accepted by ultr-run, also if they are a part of an experiment. A
/// comment before them that begins with "not run" says why they are not tried.
TEST(PagesDataTest, ExperimentsAreAccepted) {
  ULTR_NEEDS_DATA();
  std::size_t tried = 0;
  for (const CodeBlock& block : all_code_blocks("yaml")) {
    if (block.mark.starts_with("not run")) continue;
    if (!block.marked("file").empty()) continue;  // tried with its plugin, below
    const testing::TemporaryFolder folder;
    folder.write("clicks.csv", "session_id,query,product_id,position,clicked\n1,q,p,1,1\n");
    folder.write("judged.csv", "query,document,label,price,rating,height\nq,p,1,2,3,4\n");
    const std::string file = folder.write("experiment.yaml", block.text).string();
    const Finished finished =
        testing::run_program(ULTR_RUN, {file, "--dry-run"}, fs::path(ULTR_SOURCE_DIR));
    EXPECT_EQ(finished.exit_code, 0) << block.place() << "\n" << finished.errors;
    ++tried;
  }
  EXPECT_GE(tried, 14u);
}

/// Trains an example with its plugin on few sessions.
void expect_trains(const std::string& plugin, const std::string& config, const std::string& few) {
  const testing::TemporaryFolder folder;
  const std::string file = (fs::path(ULTR_SOURCE_DIR) / "examples" / config).string();
  const std::string library = std::string(ULTR_EXAMPLE_FOLDER) + "/lib" + plugin + ".so";
  for (const std::string last : {"--check-gradients", "output=run"}) {
    const Finished finished = testing::run_program(
        ULTR_RUN, {"--plugin", library, file, "train.epochs=1", few, last}, folder.path());
    EXPECT_EQ(finished.exit_code, 0) << config << " " << last << "\n" << finished.errors;
  }
  EXPECT_TRUE(fs::exists(folder.path() / "run/results.json"));
}

TEST(Examples, ModelTrainsAsAPlugin) {
  expect_trains("trust", "trust_pbm.yaml", "data.sessions=2000");
}
TEST(Examples, LossTrainsAsAPlugin) {
  expect_trains("focal", "focal_loss.yaml", "data.learn_from.sessions=2000");
}

}  // namespace
}  // namespace ultr::pages_test
