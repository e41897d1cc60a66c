#include "data/formats/svmlight.h"

#include <cmath>
#include <limits>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "data/read_features.h"

namespace ultr::svmlight_test {
namespace {

using ::testing::ElementsAre;
using testing::feature_message;
using ::testing::IsEmpty;
using testing::read_features;
using testing::TemporaryFolder;

FeatureLists read(const std::string& text) {
  const TemporaryFolder folder;
  return read_features("svmlight", {folder.write("train.txt", text)}).lists;
}

TEST(SvmlightTest, LinesOfOneQueryAreAList) {
  const FeatureLists lists = read(
      "2 qid:10 1:1 2:0.5\n"
      "0 qid:10 3:2\n"
      "1 qid:9 1:3\n");
  ASSERT_EQ(lists.lists(), 2u);
  EXPECT_EQ(lists.features(), 3u);
  EXPECT_EQ(lists[0].query, 10u);
  EXPECT_THAT(lists[0].labels, ElementsAre(2, 0));
  EXPECT_THAT(lists[0].features, ElementsAre(1, 0.5f, 0, 0, 0, 2));
  EXPECT_EQ(lists[1].query, 9u);
  EXPECT_THAT(lists[1].labels, ElementsAre(1));
  EXPECT_THAT(lists[1].features, ElementsAre(3, 0, 0));
  EXPECT_THAT(lists[0].clicks, IsEmpty());
  EXPECT_THAT(lists[0].positions, IsEmpty());
}

TEST(SvmlightTest, ReadsTheLayoutOfMslr) {
  // Dense rows, with a space at the end of each line.
  const FeatureLists lists =
      read("2 qid:10 1:3 2:3 3:0 4:-6.897 5:0.000000 \r\n0 qid:10 1:3 2:0 3:3 4:2 5:1 \r\n");
  EXPECT_THAT(lists[0].features, ElementsAre(3, 3, 0, -6.897f, 0, 3, 0, 3, 2, 1));
}

TEST(SvmlightTest, ReadsTheLayoutOfIstella) {
  // 1.79769313486e+308 marks a missing value.
  constexpr float largest = std::numeric_limits<float>::max();
  const FeatureLists lists =
      read("0 qid:1 1:1.79769313486e+308 2:9 3:0.0 \n4 qid:1 2:5 1:1 3:2 \n");
  EXPECT_THAT(lists[0].features, ElementsAre(largest, 9, 0, 1, 5, 2));
}

TEST(SvmlightTest, ReadsTheLayoutsOfYahooAndLetor) {
  const FeatureLists lists = read(
      "# a remark\n"
      "1 qid:1 10:0.8913 11:0.75512 19:0.0081\n"
      "\n"
      "0 qid:18219 1:0.005 2:0.2 #docid = GX004-93-7097963 inc = 0.04 prob = 0.2\n");
  ASSERT_EQ(lists.lists(), 2u);
  EXPECT_EQ(lists.features(), 19u);
  EXPECT_EQ(lists[0].features[10], 0.75512f);
  EXPECT_EQ(lists[1].features[1], 0.2f);
}

TEST(SvmlightTest, FilesFollowEachOther) {
  const TemporaryFolder folder;
  const auto a = folder.write("a.txt", "1 qid:7 1:1\n"), b = folder.write("b.txt", "2 qid:7 2:1\n");
  const FeatureLists lists = read_features("svmlight", {a, b}).lists;
  EXPECT_EQ(lists.lists(), 2u) << "a list is within a file";
  EXPECT_THAT(lists.columns().features, ElementsAre(1, 0, 0, 1));
}

TEST(SvmlightTest, ReportsLineAndErrorOfMalformedInput) {
  const auto expect_message = [](const std::string& line, const std::string& message) {
    EXPECT_EQ(feature_message("svmlight", "1 qid:7 1:1\n" + line + "\n"), ":2: " + message);
  };
  expect_message("1 1:1", "no qid; expected label qid:7 1:0.5 ...");
  expect_message("1 qid:8 0:1",
                 "a feature index is '0'; expected a whole number from 1 to 2147483647");
  expect_message("1 qid:8 10001:1",
                 "a feature index is '10001'; expected at most 10000, the option max_features");
  EXPECT_EQ(feature_message("svmlight", "1 qid:7 6:1\n", "max_features: 5"),
            ":1: a feature index is '6'; expected at most 5, the option max_features");
  EXPECT_EQ(feature_message("svmlight", "1 qid:7 6:1\n", "max_features: 7", {.features = 5}),
            ":1: a feature index is '6'; expected at most 5, the features of the training files");
  EXPECT_EQ(feature_message("svmlight", "1 qid:7 1:1\n1 qid:8 1:1\n1 qid:7 1:1\n"),
            ":3: qid 7 again after other queries; expected its documents together");
  EXPECT_EQ(feature_message("svmlight", "# nothing\n"),
            ": has no list; expected at least one document");
}

TEST(SvmlightTest, SkippingLeavesOutLinesButNotTheirLists) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.txt",
                                 "1 qid:7 1:1\n1 qid:7 0:1\n2 qid:7 1:2\n"
                                 "1 qid:8 1:x\n3 qid:9 1:3\n");
  const auto [lists, notes] = read_features("svmlight", {file}, "on_error: skip");
  ASSERT_EQ(lists.lists(), 2u) << "a list of which all is malformed is none";
  EXPECT_THAT(lists[0].labels, ElementsAre(1, 2));
  EXPECT_EQ(lists[1].query, 9u);
  EXPECT_THAT(notes, ElementsAre(file.string() +
                                 ": 2 of 5 lines were left out; the first: " + file.string() +
                                 ":2: a feature index is '0'; expected a whole "
                                 "number from 1 to 2147483647"));
}

TEST(SvmlightTest, AbsentFeaturesAndNanMayBeMissing) {
  const TemporaryFolder folder;
  const auto file = folder.write("train.txt", "2 qid:10 1:1\n0 qid:10 3:NaN 1:0\n");
  const FeatureReading reading = {.missing = true};
  const auto features_of = [&](const std::string& options) {
    const FeatureLists lists = read_features("svmlight", {file}, options, reading).lists;
    EXPECT_TRUE(lists.columns().missing);
    const auto values = lists.columns().features.values();
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> zeros = features_of(""), missing = features_of("absent: missing");
  ASSERT_EQ(zeros.size(), 6u);
  EXPECT_THAT(std::span(zeros).first(5), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_TRUE(std::isnan(zeros[5])) << "said so";
  EXPECT_EQ(missing[0], 1);
  EXPECT_EQ(missing[3], 0) << "said so";
  for (const std::size_t i : {1u, 2u, 4u, 5u}) EXPECT_TRUE(std::isnan(missing[i])) << i;
  EXPECT_THROW(read_features("svmlight", {file}, "absent: missing"), ConfigError);
}

}  // namespace
}  // namespace ultr::svmlight_test
