#include "data/formats/sparse_row.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"

namespace ultr::sparse_row_test {
namespace {

using testing::data_message;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr float largest = std::numeric_limits<float>::max();

std::vector<float> dense(const SparseRow& row) {
  std::vector<float> values(row.width());
  row.fill(values);
  return values;
}

TEST(SparseRowTest, ReadsLabelQueryAndFeatures) {
  SparseRow row(100, "a limit");
  row.parse("2 qid:7 1:0.5 3:1 # note 9:9");
  EXPECT_EQ(row.label(), 2);
  EXPECT_EQ(row.query(), 7u);
  EXPECT_THAT(dense(row), ElementsAre(0.5f, 0, 1));
  row.parse("0 2:-1e-3");
  EXPECT_EQ(row.label(), 0);
  EXPECT_EQ(row.query(), std::nullopt);
  EXPECT_THAT(dense(row), ElementsAre(0, -1e-3f)) << "nothing is left of the line before";
  row.parse("-2");
  EXPECT_EQ(row.label(), -2);
  EXPECT_THAT(row.features(), IsEmpty());
  EXPECT_EQ(row.width(), 0u);
}

TEST(SparseRowTest, SpacesAndOrderDoNotMatter) {
  SparseRow row(100, "a limit");
  for (const std::string line :
       {"1 qid:7 1:4 2:5 5:6", "1 qid:7 5:6 1:4 2:5", "  1\tqid:7   2:5 \t5:6 1:4  ",
        "1 qid:7 1:4 2:5 5:6#docid", "1.0 qid:7 2:5.0 1:4 5:6 4:0\t"}) {
    row.parse(line);
    EXPECT_EQ(row.label(), 1) << line;
    EXPECT_EQ(row.query(), 7u) << line;
    EXPECT_THAT(dense(row), ElementsAre(4, 5, 0, 0, 6)) << line;
  }
}

TEST(SparseRowTest, HugeNumbersBecomeTheLargestFloat) {
  SparseRow row(100, "a limit");
  row.parse("0 qid:1 1:1.79769313486e+308 2:-1.79769313486e+308 3:1e39 4:1e38");
  EXPECT_THAT(dense(row), ElementsAre(largest, -largest, largest, 1e38f));
}

TEST(SparseRowTest, SaysWhatIsMalformed) {
  SparseRow row(300, "a reason");
  const auto expect_message = [&](const std::string& line, const std::string& message) {
    EXPECT_EQ(data_message([&] { row.parse(line); }), message);
    row.parse("1 qid:7 1:0.5");
    EXPECT_THAT(dense(row), ElementsAre(0.5f)) << "it goes on after a bad line";
  };
  expect_message("", "the label is ''; expected a finite number");
  expect_message("x qid:7 1:1", "the label is 'x'; expected a finite number");
  expect_message("qid:7 1:1", "the label is 'qid:7'; expected a finite number");
  for (const std::string label : {"1.5", "-1", "-3", "32"})
    expect_message(
        label + " qid:7 1:1",
        "the label is '" + label + "'; expected -2 (unjudged) or a whole number from 0 to 31");
  expect_message("1 qid: 1:1", "the qid is ''; expected a whole number");
  expect_message("1 qid:-7 1:1", "the qid is '-7'; expected a whole number");
  expect_message("1 1:1 qid:7", "a qid after the second place; expected label qid:7 1:0.5 ...");
  expect_message("1 qid:7 1", "'1' is not a feature; expected index:value");
  expect_message("1 qid:7 1 :2", "'1' is not a feature; expected index:value");
  for (const std::string index : {"0", "-1", "", "x", "1.0", "99999999999"})
    expect_message(
        "1 qid:7 " + index + ":1",
        "a feature index is '" + index + "'; expected a whole number from 1 to 2147483647");
  expect_message("1 qid:7 301:1", "a feature index is '301'; expected at most 300, a reason");
  expect_message("1 qid:7 3:1 2:1 3:1",
                 "feature index 3 appears twice; expected each at most once");
  for (const std::string value :
       {"", "inf", "-inf", "1e999", "1.8e308", "1e-400", "1,5", "x", "1:2"})
    expect_message("1 qid:7 4:" + value, "feature 4 is '" + value + "'; expected a finite number");
  for (const std::string value : {"nan", "NaN"})
    expect_message("1 qid:7 4:" + value,
                   "feature 4 is '" + value +
                       "'; expected a finite number (or data.scaling.missing: keep, for "
                       "boosted_trees)");
}

TEST(SparseRowTest, ZerosAreWrittenToo) {
  SparseRow row(10, "a limit");
  row.parse("0 3:0");
  EXPECT_EQ(row.width(), 3u) << "the index says how many features there are";
  EXPECT_THAT(dense(row), Each(0));
}

}  // namespace
}  // namespace ultr::sparse_row_test
