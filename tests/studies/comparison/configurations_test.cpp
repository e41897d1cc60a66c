#include "studies/comparison/configurations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/run_folders.h"

namespace ultr::configurations_test {
namespace {

using testing::config_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunResults run(const std::string& folder, std::int64_t seed, OptionValues options) {
  return {.folder = folder, .name = "experiment", .options = std::move(options), .seed = seed};
}

TEST(ConfigurationsTest, RunsThatDifferInTheSeedAreOne) {
  const std::vector<RunResults> runs = {
      run("a", 1, {{"type", "pbm"}, {"lr", "0.1"}}), run("b", 1, {{"type", "ubm"}, {"lr", "0.1"}}),
      run("c", 2, {{"type", "pbm"}, {"lr", "0.1"}}), run("d", 3, {{"type", "ubm"}, {"lr", "0.1"}})};
  const Configurations found = group_runs(runs);
  EXPECT_THAT(found.keys, ElementsAre("type")) << "lr is the same in all";
  ASSERT_EQ(found.each.size(), 2u);
  EXPECT_THAT(found.each[0].runs, ElementsAre(0, 2));
  EXPECT_THAT(found.each[1].runs, ElementsAre(1, 3));
  EXPECT_EQ(found.each[1].name, "type=ubm");
}

TEST(ConfigurationsTest, OptionsOfOneTypeAreNoKeysIfOthersTellApart) {
  const std::vector<RunResults> runs = {
      run("a", 1, {{"type", "pbm"}, {"examination", "table"}, {"lr", "1"}}),
      run("b", 1, {{"type", "dbn"}, {"satisfaction", "table"}, {"lr", "1"}}),
      run("c", 1, {{"type", "dbn"}, {"satisfaction", "table"}, {"lr", "2"}})};
  const Configurations found = group_runs(runs);
  EXPECT_THAT(found.keys, ElementsAre("type", "lr"));
  EXPECT_EQ(found.each[2].name, "type=dbn lr=2");
}

TEST(ConfigurationsTest, OptionsThatSomeLackAreKeysIfNothingElseTellsApart) {
  const std::vector<RunResults> runs = {run("a", 1, {{"lr", "1"}}),
                                        run("b", 1, {{"lr", "1"}, {"decay", "0"}, {"new", "x"}}),
                                        run("c", 1, {{"lr", "2"}, {"decay", "0"}, {"new", "x"}})};
  const Configurations found = group_runs(runs);
  EXPECT_THAT(found.keys, ElementsAre("lr", "decay"));
  EXPECT_THAT(found.each[0].values, ElementsAre("1", "-"));
  EXPECT_EQ(found.each[0].name, "lr=1");
  EXPECT_EQ(found.each[1].name, "lr=1 decay=0");
}

TEST(ConfigurationsTest, ASingleOneHasTheExperimentsName) {
  const Configurations found =
      group_runs(std::vector{run("a", 1, {{"lr", "1"}}), run("b", 2, {{"lr", "1"}})});
  EXPECT_THAT(found.keys, IsEmpty());
  EXPECT_EQ(found.each.at(0).name, "experiment");
}

TEST(ConfigurationsTest, RefusesTheSameRunTwice) {
  const std::vector<RunResults> runs = {run("a", 1, {{"lr", "1"}}), run("b", 1, {{"lr", "1"}})};
  EXPECT_THAT(config_message([&] { group_runs(runs); }),
              HasSubstr("runs a and b have the same configuration and seed"));
}

TEST(ConfigurationsTest, AreFoundByNameOrFolder) {
  const testing::RunFolders folders;
  const auto a = folders.add("a", ""), b = folders.add("b", "");
  const std::vector<RunResults> runs = {run(a.string(), 1, {{"lr", "1"}}),
                                        run(b.string(), 1, {{"lr", "2"}})};
  const Configurations found = group_runs(runs);
  EXPECT_EQ(find_configuration(found, runs, "lr=2"), 1u);
  EXPECT_EQ(find_configuration(found, runs, a.string() + "/../b/"), 1u);
  EXPECT_EQ(find_configuration(found, runs, a.string()), 0u);
  EXPECT_EQ(config_message([&] { find_configuration(found, runs, "lr=3"); }),
            "baseline 'lr=3' is none of the runs; expected the folder of one or one of 'lr=1', "
            "'lr=2'");
}

}  // namespace
}  // namespace ultr::configurations_test
