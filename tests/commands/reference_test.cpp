#include "commands/reference.h"

#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "commands/built_in_registry.h"
#include "testing/temporary_folder.h"

namespace ultr::reference_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename().string()] = testing::read_text(entry.path());
  return files;
}

TEST(ReferenceTest, TheCheckedInPagesAreCurrent) {
  const fs::path folder = fs::path(ULTR_SOURCE_DIR) / "docs/reference";
  const auto current = reference_pages(built_in_registry());
  const auto checked_in = files_in(folder);
  const char* const advice =
      " is not what the declared options say. Update it by\n"
      "  rm docs/reference/*; build/release/ultr-run --write-reference docs/reference";
  for (const auto& [name, page] : current)
    EXPECT_TRUE(checked_in.contains(name) && checked_in.at(name) == page)
        << "docs/reference/" << name << advice;
  for (const auto& [name, page] : checked_in)
    EXPECT_TRUE(current.contains(name)) << "docs/reference/" << name << advice;
}

TEST(ReferenceTest, WritesThePagesToANewOrExistingFolder) {
  const testing::TemporaryFolder folder;
  const Registry registry = built_in_registry();
  for (int i = 0; i < 2; ++i) {
    write_reference(registry, folder.path() / "docs/reference");
    EXPECT_EQ(files_in(folder.path() / "docs/reference"), reference_pages(registry));
  }
  EXPECT_THROW(write_reference(registry, folder.write("file", "")), Error);
}

TEST(ReferenceTest, EveryLinkLeadsToAPageAndAHeadingOfIt) {
  const auto pages = reference_pages(built_in_registry());
  const std::regex link(R"(\]\(([^)#]*)(#([^)]*))?\))");
  int links = 0;
  for (const auto& [name, page] : pages)
    for (auto found = std::sregex_iterator(page.begin(), page.end(), link);
         found != std::sregex_iterator(); ++found, ++links) {
      const std::string target = (*found)[1], heading = (*found)[3];
      ASSERT_TRUE(pages.contains(target)) << name << " links to " << target;
      if (heading.empty()) continue;
      EXPECT_THAT(pages.at(target), HasSubstr("\n## " + heading + "\n")) << name;
    }
  EXPECT_GT(links, 80);
}

TEST(ReferenceTest, RowsHaveFourCellsAndEscapeMarkup) {
  const auto pages = reference_pages(built_in_registry());
  for (const auto& [name, page] : pages) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('|')) continue;
      const std::string bare = std::regex_replace(line, std::regex(R"(\\\|)"), "");
      EXPECT_EQ(std::count(bare.begin(), bare.end(), '|'), 5) << name << ": " << line;
    }
  }
  EXPECT_THAT(pages.at("configuration.md"), HasSubstr("runs/\\<name>/\\<number>"));
  EXPECT_THAT(pages.at("configuration.md"),
              HasSubstr("| exponential \\| linear | `exponential` |"));
  EXPECT_THAT(pages.at("logging-policies.md"),
              HasSubstr("| one of the [layers](layers.md) | `{type: mlp, widths: [32, 32], "
                        "activation: elu}` |"));
}

/// Options with sections of one name but other fields.
struct Section final : Options {
  explicit Section(std::string its_name) : name(std::move(its_name)) {}
  std::string name, value;
  void fields(Fields& f) override { f.text(name, value, "Its value."); }
};
struct TwoSections final : Options {
  Section train{"first"}, outer{"second"};
  void fields(Fields& f) override {
    f.section("train", train, "One.");
    f.section("evaluate", outer, "Another.");
  }
};

TEST(ReferenceTest, SectionsOfOneNameButOtherOptionsAreToldApart) {
  Registry registry = built_in_registry();
  registry.add_data(option_type<TwoSections>("sectioned", "Has sections."));
  const auto pages = reference_pages(registry);
  EXPECT_THAT(pages.at("configuration.md"),
              HasSubstr("| `train` | [section](configuration.md#train)"));
  EXPECT_THAT(pages.at("data-formats.md"),
              HasSubstr("| `train` | [section](configuration.md#train-2)"));
  EXPECT_THAT(pages.at("configuration.md"), HasSubstr("\n## train-2\n\n"));
}

}  // namespace
}  // namespace ultr::reference_test
