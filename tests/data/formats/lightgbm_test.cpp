#include "data/formats/lightgbm.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/gzip.h"
#include "data/read_features.h"
#include "testing/golden.h"

namespace ultr::lightgbm_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::read_features;
using testing::TemporaryFolder;

const std::string three = "2 1:1 2:0.5\n0 3:2\n1 1:3\n";

TEST(LightgbmTest, ListSizesStandBesideTheFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("rank.train", three);
  folder.write("rank.train.query", "2\n1\n");
  const FeatureLists lists = read_features("lightgbm", {file}).lists;
  ASSERT_EQ(lists.lists(), 2u);
  EXPECT_EQ(lists[0].query, 0u);
  EXPECT_THAT(lists[0].labels, ElementsAre(2, 0));
  EXPECT_THAT(lists[0].features, ElementsAre(1, 0.5f, 0, 0, 0, 2));
  EXPECT_EQ(lists[1].query, 1u);
  EXPECT_THAT(lists[1].labels, ElementsAre(1));
  EXPECT_THAT(lists[1].positions, IsEmpty());
}

TEST(LightgbmTest, PositionsToo) {
  const TemporaryFolder folder;
  const auto file = folder.write("rank.train", three);
  folder.write("rank.train.query", "2\n1\n");
  folder.write("rank.train.position", "0\n4\n65535\n");
  const FeatureLists lists = read_features("lightgbm", {file}).lists;
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 4));
  EXPECT_THAT(lists[1].positions, ElementsAre(65535));
}

TEST(LightgbmTest, AnyOfTheFilesMayBePacked) {
  const TemporaryFolder folder;
  const auto file = folder.write("rank.train.gz", testing::gzip(three));
  folder.write("rank.train.query", "2\n1\n");
  folder.write("rank.train.position.gz", testing::gzip("0\n1\n0\n"));
  const FeatureLists lists = read_features("lightgbm", {file}).lists;
  EXPECT_EQ(lists.lists(), 2u);
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 1));
}

TEST(LightgbmTest, SizesMustSumToTheLines) {
  const TemporaryFolder folder;
  const auto file = folder.write("rank.train", three);
  const auto message = [&](const std::string& sizes, const std::string& positions) {
    folder.write("rank.train.query", sizes);
    folder.write("rank.train.position", positions);
    for (const std::string options : {"on_error: fail", "on_error: skip"}) {
      const std::string found = data_message([&] { read_features("lightgbm", {file}, options); });
      EXPECT_TRUE(found.starts_with(file.string())) << found;
      if (options == "on_error: skip") return found.substr(file.string().size());
    }
    return std::string();
  };
  const std::string three_lines = "; expected 3, the lines of " + file.string();
  const std::string all = "0\n1\n0\n";
  EXPECT_EQ(message("2\n2\n", all), ".query: the 2 list sizes sum to 4" + three_lines);
  EXPECT_EQ(message("2\n", all), ".query: the 1 list sizes sum to 2" + three_lines);
  EXPECT_EQ(message("", all), ".query: the 0 list sizes sum to 0" + three_lines);
  EXPECT_EQ(message("2\n1\n", "0\n1\n"), ".position: 2 positions" + three_lines);
  EXPECT_EQ(message("2\n1\n", all + "0\n"), ".position: 4 positions" + three_lines);
  EXPECT_EQ(message("2\n0\n1\n", all),
            ".query:2: the size of a list is '0'; expected a whole number from 1 to 2147483647");
  EXPECT_EQ(message("2\none\n", all),
            ".query:2: the size of a list is 'one'; expected a whole number from 1 to 2147483647");
  EXPECT_EQ(message("2\n1\n", "0\n-1\n0\n"),
            ".position:2: a position is '-1'; expected a whole number from 0 to 65535");
}

TEST(LightgbmTest, ReportsLineAndErrorOfMalformedInput) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    const auto file = folder.write("rank.train", text);
    const std::string found = data_message([&] { read_features("lightgbm", {file}); });
    return found.substr(std::min(file.string().size(), found.size()));
  };
  EXPECT_EQ(message(three),
            ".query: cannot be opened (No such file or directory); expected a file to read");
  folder.write("rank.train.query", "2\n1\n");
  EXPECT_EQ(message("1 1:1\n1 qid:7 1:1\n1 1:1\n"),
            ":2: a qid; expected list sizes in FILE.query only");
  EXPECT_EQ(message("1 1:1\n1 1:1 1:2\n1 1:1\n"),
            ":2: feature index 1 appears twice; expected each at most once");
}

TEST(LightgbmTest, SkippedLinesKeepTheirPlaceInTheSizes) {
  const TemporaryFolder folder;
  const auto file = folder.write("rank.train", "1 1:1\nx\n2 1:2\n3 1:3\nx\n4 1:4\n");
  folder.write("rank.train.query", "3\n1\n1\n1\n");
  folder.write("rank.train.position", "0\n1\n2\n3\n4\n5\n");
  const auto [lists, notes] = read_features("lightgbm", {file}, "on_error: skip");
  ASSERT_EQ(lists.lists(), 3u);
  EXPECT_THAT(lists[0].labels, ElementsAre(1, 2));
  EXPECT_THAT(lists[0].positions, ElementsAre(0, 2));
  EXPECT_EQ(lists[1].query, 1u);
  EXPECT_THAT(lists[1].labels, ElementsAre(3));
  EXPECT_EQ(lists[2].query, 3u) << "the third list was malformed";
  EXPECT_THAT(lists[2].positions, ElementsAre(5));
  EXPECT_EQ(notes.size(), 1u);
}

TEST(LightgbmDataTest, RankingExample) {
  ULTR_NEEDS_DATA();
  const auto folder = *testing::data_folder() / "ltr";
  const FeatureLists train = read_features("lightgbm", {folder / "rank.train"}).lists;
  EXPECT_EQ(train.lists(), 201u);
  EXPECT_EQ(train.documents(), 3005u);
  EXPECT_EQ(train.features(), 300u);
  EXPECT_EQ(train.length(0), 1u);
  EXPECT_EQ(train.length(1), 13u);
  EXPECT_EQ(*std::max_element(train.columns().labels.begin(), train.columns().labels.end()), 4);
  EXPECT_EQ(train[0].features[9], 0.89f) << "10:0.89";
  EXPECT_EQ(train[0].features[0], 0.f);
  const FeatureLists test =
      read_features("lightgbm", {folder / "rank.test"}, "", {.features = train.features()}).lists;
  EXPECT_EQ(test.lists(), 50u);
  EXPECT_EQ(test.documents(), 768u);
  EXPECT_EQ(test.features(), 300u);
}

}  // namespace
}  // namespace ultr::lightgbm_test
