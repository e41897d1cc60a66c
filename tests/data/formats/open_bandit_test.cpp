#include "data/formats/open_bandit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/formats/dataset_reader.h"
#include "data/gzip.h"
#include "data/log/dataset.h"
#include "data/read_lists.h"
#include "testing/errors.h"
#include "testing/golden.h"
#include "testing/temporary_folder.h"

namespace ultr::open_bandit_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::read_lists;
using testing::TemporaryFolder;

const std::string header = ",timestamp,item_id,position,click,propensity_score,user_feature_0\n";

std::string message_of(const std::string& text, const ReadRules& rules = {}) {
  return testing::message_of_text(read_open_bandit, text, rules);
}

TEST(OpenBanditTest, AnImpressionIsAListOfOneDocument) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "men.csv.gz", testing::gzip(header + "0,2019-11-24 00:03:13+00:00,14,3,0,0.25,\"a,b\"\n"
                                           "\n"
                                           "1,2019-11-24 00:03:36+00:00,0,1,1,1.0,c\r\n"));
  const auto [lists, report] = read_lists(read_open_bandit, file);
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].query, 0u);
  EXPECT_THAT(lists[0].documents, ElementsAre(14));
  EXPECT_THAT(lists[0].positions, ElementsAre(2));
  EXPECT_THAT(lists[0].clicks, ElementsAre(0));
  EXPECT_THAT(lists[0].propensities, ElementsAre(0.25f));
  EXPECT_THAT(lists[0].labels, IsEmpty());
  EXPECT_EQ(lists[1].query, 0u);
  EXPECT_THAT(lists[1].documents, ElementsAre(0));
  EXPECT_THAT(lists[1].positions, ElementsAre(0));
  EXPECT_THAT(lists[1].clicks, ElementsAre(1));
  EXPECT_THAT(lists[1].propensities, ElementsAre(1.f));
  EXPECT_EQ(report.lines, 4u);
  EXPECT_EQ(report.lists, 2u);
}

TEST(OpenBanditTest, FindsColumnsByName) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.csv", "click,\"position\",item_id\n1,2,7\n");
  const auto lists = read_lists(read_open_bandit, file).lists;
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_THAT(lists[0].documents, ElementsAre(7));
  EXPECT_THAT(lists[0].positions, ElementsAre(1));
  EXPECT_THAT(lists[0].clicks, ElementsAre(1));
  EXPECT_THAT(lists[0].propensities, IsEmpty()) << "the file has none";
}

TEST(OpenBanditTest, ReportsLineAndErrorOfMalformedInput) {
  const std::string good = "0,now,14,3,0,0.25,a\n";
  const auto expect_message = [&](const std::string& line, const std::string& message) {
    EXPECT_EQ(message_of(header + good + line + "\n"), ":3: " + message);
  };
  expect_message("0,now,14,3,0,0.25", "6 fields; expected 7 as in the header");
  expect_message("0,now,14,3,0,0.25,a,b", "8 fields; expected 7 as in the header");
  expect_message("0,now,14,3,0,0.25,\"a",
                 "the quote of field 7 is not closed; expected '\"' at its end");
  expect_message("0,now,-1,3,0,0.25,a", "item_id is '-1'; expected a whole number");
  expect_message("0,now,x,3,0,0.25,a", "item_id is 'x'; expected a whole number");
  expect_message("0,now,14,0,0,0.25,a", "position is '0'; expected a whole number from 1 to 65535");
  expect_message("0,now,14,65536,0,0.25,a",
                 "position is '65536'; expected a whole number from 1 to 65535");
  expect_message("0,now,14,11,0,0.25,a",
                 "position is '11'; expected at most data.max_positions = 10");
  expect_message("0,now,14,3,2,0.25,a", "click is '2'; expected a whole number from 0 to 1");
  expect_message("0,now,14,3,,0.25,a", "click is ''; expected a whole number from 0 to 1");
  for (const std::string propensity : {"0", "0.0", "-0.1", "1.01", "nan", "inf", "", "x", "1e-999"})
    expect_message(
        "0,now,14,3,0," + propensity + ",a",
        "propensity_score is '" + propensity + "'; expected a number above 0 and at most 1");
  expect_message("0,now,14,3,0,1e-50,a",
                 "propensity_score is '1e-50'; expected a number that is above 0 in float32, too");
  const std::string with = "; expected a header with item_id, position and click";
  EXPECT_EQ(message_of("item_id,position\n14,3\n"), ":1: no column 'click'" + with);
  EXPECT_EQ(message_of("0,now,14,3,0,0.25,a\n"), ":1: no column 'item_id'" + with);
  EXPECT_EQ(message_of(header), ": has no list; expected a header and at least one impression");
}

TEST(OpenBanditTest, SkipsMalformedLines) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("men.csv", header + "oops\n0,now,14,3,0,0.25,a\n0,now,14,4,0,1,a\n");
  const auto [lists, report] =
      read_lists(read_open_bandit, file, {.max_positions = 3, .skip_malformed = true});
  EXPECT_EQ(lists.size(), 1u);
  EXPECT_EQ(report.lists, 1u);
  EXPECT_EQ(report.malformed, 2u);
  EXPECT_EQ(report.first_malformed, file.string() + ":2: 1 fields; expected 7 as in the header");
}

TEST(OpenBanditDataTest, UniformAndThompsonSampling) {
  ULTR_NEEDS_DATA();
  const auto folder = *testing::data_folder() / "open-bandit";
  const auto read = [&](const std::string& policy) {
    Dataset dataset;
    DatasetReader(read_open_bandit, {.max_positions = 3})
        .read_train({folder / policy / "men.csv"}, {}, dataset);
    EXPECT_EQ(dataset.train.sessions(), 10'000u);
    EXPECT_EQ(dataset.train.documents(), 10'000u);
    EXPECT_EQ(dataset.train.longest(), 1u);
    EXPECT_EQ(dataset.positions, 3u);
    EXPECT_EQ(dataset.dictionary.rows(), 34 + 1);
    return dataset.train;
  };
  const SessionLog uniform = read("random"), thompson = read("bts");
  EXPECT_EQ(uniform.clicked(), 46u);
  EXPECT_EQ(thompson.clicked(), 69u);
  // The inverse propensities of a policy's choices sum to (number of items) x (choices): on average
  // for any policy, exactly for the uniform one.
  for (std::size_t i = 0; i < uniform.sessions(); ++i)
    ASSERT_EQ(uniform[i].propensities[0], static_cast<float>(1. / 34));
  double sum = 0;
  for (std::size_t i = 0; i < thompson.sessions(); ++i) sum += 1. / thompson[i].propensities[0];
  EXPECT_NEAR(sum / 10'000, 34, 5);
}

}  // namespace
}  // namespace ultr::open_bandit_test
