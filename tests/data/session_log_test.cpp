#include "data/session_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/error.h"

namespace ultr {
namespace {

using ::testing::ElementsAre;
using Rows = std::vector<std::uint32_t>;
using Positions = std::vector<std::uint16_t>;
using Clicks = std::vector<std::uint8_t>;

void add(SessionLog& log, const Rows& rows, const Positions& positions, const Clicks& clicks) {
  log.add({rows, positions, clicks});
}

TEST(SessionLogTest, KeepsListsOfAnyLength) {
  SessionLog log;
  add(log, {3, 1, 2}, {0, 1, 2}, {0, 1, 1});
  add(log, {9}, {5}, {0});
  add(log, {1, 1}, {0, 3}, {1, 0});
  EXPECT_EQ(log.sessions(), 3u);
  EXPECT_EQ(log.documents(), 6u);
  EXPECT_EQ(log.length(0), 3u);
  EXPECT_EQ(log.length(1), 1u);
  EXPECT_EQ(log.length(2), 2u);
  EXPECT_THAT(log[0].rows, ElementsAre(3, 1, 2));
  EXPECT_THAT(log[0].positions, ElementsAre(0, 1, 2));
  EXPECT_THAT(log[0].clicks, ElementsAre(0, 1, 1));
  EXPECT_THAT(log[1].rows, ElementsAre(9));
  EXPECT_THAT(log[1].positions, ElementsAre(5));
  EXPECT_THAT(log[2].rows, ElementsAre(1, 1));
  EXPECT_THAT(log[2].positions, ElementsAre(0, 3));
  EXPECT_THAT(log[2].clicks, ElementsAre(1, 0));
}

TEST(SessionLogTest, KeepsTheQuery) {
  SessionLog log;
  log.add({Rows{1, 2}, Positions{0, 1}, Clicks{0, 0}, 18446744073709551615u});
  add(log, {3}, {0}, {1});
  EXPECT_EQ(log[0].query, 18446744073709551615u);
  EXPECT_EQ(log[1].query, 0u);
}

TEST(SessionLogTest, Counts) {
  SessionLog log;
  add(log, {3, 1, 2}, {0, 1, 2}, {0, 1, 1});
  add(log, {9}, {5}, {0});
  EXPECT_EQ(log.longest(), 3u);
  EXPECT_EQ(log.positions(), 6u) << "one more than the largest displayed position";
  EXPECT_EQ(log.clicked(), 2u);
  EXPECT_EQ(log.click_rate(), 2. / 4);
  add(log, {2, 2}, {0, 1}, {0, 1});
  EXPECT_EQ(log.positions(), 6u) << "of all lists";
  EXPECT_EQ(log.longest(), 3u);
  add(log, {1}, {65535}, {1});
  EXPECT_EQ(log.positions(), 65536u);
}

TEST(SessionLogTest, KeepsPropensitiesOfAllListsOrNone) {
  const Rows rows = {3, 1};
  const Positions positions = {0, 1};
  const Clicks clicks = {0, 1};
  const std::vector<float> two = {0.5f, 0.25f}, one = {0.5f};
  SessionLog known;
  known.add({rows, positions, clicks, 0, two});
  known.add({Rows{1}, Positions{2}, Clicks{0}, 0, one});
  EXPECT_THAT(known[0].propensities, ElementsAre(0.5f, 0.25f));
  EXPECT_THAT(known[1].propensities, ElementsAre(0.5f));
  EXPECT_THROW(known.add({rows, positions, clicks}), DataError);
  EXPECT_THROW(known.add({rows, positions, clicks, 0, one}), DataError);
  EXPECT_EQ(known.documents(), 3u) << "a refused list leaves no trace";

  SessionLog unknown;
  unknown.add({rows, positions, clicks});
  EXPECT_TRUE(unknown[0].propensities.empty());
  EXPECT_THROW(unknown.add({rows, positions, clicks, 0, two}), DataError);
}

TEST(SessionLogTest, KeepsTargetsOfAllListsOrNone) {
  const Rows rows = {3, 1};
  const Positions positions = {0, 1};
  const Clicks clicks = {0, 0};
  const std::vector<float> two = {0.5f, 4}, one = {0.5f};
  SessionLog log;
  EXPECT_FALSE(log.has_targets());
  log.add({.rows = rows, .positions = positions, .clicks = clicks, .targets = two});
  EXPECT_TRUE(log.has_targets());
  EXPECT_THAT(log[0].targets, ElementsAre(0.5f, 4));
  EXPECT_TRUE(log[0].propensities.empty());
  EXPECT_THROW(log.add({rows, positions, clicks}), DataError);
  EXPECT_THROW(log.add({.rows = rows, .positions = positions, .clicks = clicks, .targets = one}),
               DataError);
  EXPECT_EQ(log.documents(), 2u) << "a refused list leaves no trace";
}

TEST(SessionLogTest, WithoutListsAllIsZero) {
  const SessionLog log;
  EXPECT_EQ(log.sessions(), 0u);
  EXPECT_EQ(log.documents(), 0u);
  EXPECT_EQ(log.longest(), 0u);
  EXPECT_EQ(log.positions(), 0u);
  EXPECT_EQ(log.clicked(), 0u);
  EXPECT_EQ(log.click_rate(), 0);
}

TEST(SessionLogTest, ClicksCanBeSet) {
  SessionLog log;
  add(log, {3, 1}, {0, 1}, {0, 0});
  add(log, {4, 2}, {0, 1}, {0, 0});
  log.clicks(1)[0] = 1;
  EXPECT_THAT(log[0].clicks, ElementsAre(0, 0));
  EXPECT_THAT(log[1].clicks, ElementsAre(1, 0));
  EXPECT_EQ(log.clicked(), 1u);
}

TEST(SessionLogTest, RefusesListsThatAreNoLists) {
  SessionLog log;
  EXPECT_THROW(add(log, {}, {}, {}), DataError);
  EXPECT_THROW(add(log, {1, 2}, {0}, {0, 0}), DataError);
  EXPECT_THROW(add(log, {1, 2}, {0, 1}, {0}), DataError);
  EXPECT_THROW(add(log, {1}, {0, 1}, {0, 0}), DataError);
  EXPECT_EQ(log.sessions(), 0u);
  EXPECT_EQ(log.documents(), 0u);
}

TEST(SessionLogTest, DocumentsMayHaveFeaturesOfTheirOwn) {
  SessionLog log;
  add(log, {3, 1}, {0, 1}, {0, 0});
  add(log, {4}, {0}, {0});
  EXPECT_TRUE(log.features().empty());
  EXPECT_EQ(log.first_document(1), 2u);
  EXPECT_THROW(log.set_features(FeatureTable(std::vector<float>(3), 1)), DataError);
  log.set_features(FeatureTable(std::vector<float>{0, 1, 2, 3}, 1));
  EXPECT_EQ(log.features().rows(), 4);
}

}  // namespace
}  // namespace ultr
