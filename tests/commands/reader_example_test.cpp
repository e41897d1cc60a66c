#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "options/read.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::reader_example_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::EndsWith;

/// Reads a text with the format of examples/reader_plugin.cpp.
Dataset read_colons(const std::string& text, const std::string& more = "") {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("clicks.txt", text);
  Registry registry = built_in_registry();
  registry.load_plugin(fmt::format("{}/libreader.so", ULTR_PLUGIN_FOLDER));
  ExperimentOptions options(registry);
  read_options(parse_config(fmt::format("data: {{format: colons, train: {}{}}}", file, more),
                            folder.path() / "clicks.yaml"),
               options);
  return options.data.as<DataOptions>().load({}).dataset;
}

TEST(ReaderExampleTest, ReadsThreeLines) {
  const Dataset dataset = read_colons("7\t101:0\t102:1\t103:0\n7\t102:1\t101:0\n9\t101:0\t104:0\n");
  EXPECT_THAT(dataset.train.offsets(), ElementsAre(0, 3, 5, 7));
  EXPECT_THAT(dataset.train.rows(), ElementsAre(1, 2, 3, 2, 1, 4, 5));
  EXPECT_THAT(dataset.train.clicks(), ElementsAre(0, 1, 0, 1, 0, 0, 0));
  EXPECT_EQ(dataset.train[2].query, 9u);
  EXPECT_THAT(dataset.dictionary.documents(), ElementsAre(0, 101, 102, 103, 101, 104));
}

TEST(ReaderExampleTest, LeavesOutListsWithoutClicksIfAsked) {
  const Dataset dataset =
      read_colons("7\t101:0\n7\t102:1\t101:0\n9\t101:0\n", ", clicked_only: true");
  EXPECT_THAT(dataset.train.clicks(), ElementsAre(1, 0));
}

TEST(ReaderExampleTest, CutsLongListsAndSkipsMalformedLines) {
  const Dataset dataset = read_colons("7\t101:0\t102:1\t103:0\n7\n7\t101\n7\t101:2\n",
                                      ", max_positions: 2, long_lists: truncate, on_error: skip");
  EXPECT_THAT(dataset.train.offsets(), ElementsAre(0, 2));
  EXPECT_THAT(dataset.notes, ElementsAre(EndsWith("1 of 1 lists were cut to 2 positions"),
                                         EndsWith("clicks.txt:2: a query alone; expected documents "
                                                  "after it")));
}

TEST(ReaderExampleTest, NamesTheLineThatIsMalformed) {
  EXPECT_THAT(data_message([] { read_colons("7\t101:0\n7\t102\n"); }),
              EndsWith("clicks.txt:2: document 1 is '102'; expected document:click"));
  EXPECT_THAT(data_message([] { read_colons("7\t101:2\n"); }),
              EndsWith("clicks.txt:1: click is '2'; expected a whole number from 0 to 1"));
  EXPECT_THAT(data_message([] { read_colons("\n"); }),
              EndsWith("clicks.txt: has no list; expected at least one line"));
}

}  // namespace
}  // namespace ultr::reader_example_test
