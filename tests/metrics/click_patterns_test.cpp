#include "metrics/click_patterns.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::click_patterns_test {
namespace {

using ::testing::ElementsAre;
using Positions = std::vector<std::uint32_t>;
using Clicks = std::vector<std::uint8_t>;

ClickPatternCounts two_sessions() {
  ClickPatternCounts counts;
  counts.add(Positions{0, 1, 2, 3}, Clicks{0, 1, 0, 1});
  counts.add(Positions{0, 2}, Clicks{1, 0});
  return counts;
}

std::vector<std::uint64_t> cases(const EventRates& rates) {
  std::vector<std::uint64_t> all;
  for (const EventRate& rate : rates) all.push_back(rate.cases);
  return all;
}

std::vector<std::uint64_t> events(const EventRates& rates) {
  std::vector<std::uint64_t> all;
  for (const EventRate& rate : rates) all.push_back(rate.events);
  return all;
}

TEST(ClickPatternsTest, CountClicksByDisplayedRank) {
  const ClickPatternCounts counts = two_sessions();
  EXPECT_THAT(cases(counts[rank_pattern]), ElementsAre(2, 1, 2, 1));
  EXPECT_THAT(events(counts[rank_pattern]), ElementsAre(1, 1, 0, 1));
}

/// The distance is that of displayed positions, of which lists may leave some out.
TEST(ClickPatternsTest, CountClicksByDistanceToTheLastClickAbove) {
  const ClickPatternCounts counts = two_sessions();
  EXPECT_THAT(cases(counts[after_click_pattern]), ElementsAre(1, 2));
  EXPECT_THAT(events(counts[after_click_pattern]), ElementsAre(0, 1));
}

TEST(ClickPatternsTest, CountSessionsByClicks) {
  ClickPatternCounts counts = two_sessions();
  counts.add(Positions{0, 1}, Clicks{0, 0});
  counts.add(Positions{0, 1, 2, 3, 4, 5, 6}, Clicks{1, 1, 1, 1, 1, 1, 1});
  EXPECT_THAT(cases(counts[click_count_pattern]), ElementsAre(4, 4, 4, 4, 4, 4));
  EXPECT_THAT(events(counts[click_count_pattern]), ElementsAre(1, 1, 1, 0, 0, 1)) << "7 is 5+";
}

TEST(ClickPatternsTest, LargeDistancesAreOne) {
  ClickPatternCounts counts;
  counts.add(Positions{0, 10, 30}, Clicks{1, 0, 1});
  EXPECT_EQ(counts[after_click_pattern].size(), 10u);
  EXPECT_EQ(counts[after_click_pattern].back().cases, 2u);
  EXPECT_EQ(counts[after_click_pattern].back().events, 1u);
}

TEST(ClickPatternsTest, PartsAddUp) {
  ClickPatternCounts sum;
  sum.add(two_sessions());
  sum.add(two_sessions());
  for (std::size_t p = 0; p < click_pattern_count; ++p) {
    const EventRates once = two_sessions()[p];
    ASSERT_EQ(sum[p].size(), once.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
      EXPECT_EQ(sum[p][i].cases, 2 * once[i].cases);
      EXPECT_EQ(sum[p][i].events, 2 * once[i].events);
    }
  }
}

TEST(ClickPatternsTest, LabelsCountFromTheFirstValue) {
  EXPECT_EQ(click_patterns()[rank_pattern].label(0), "1");
  EXPECT_EQ(click_patterns()[rank_pattern].label(20), "21");
  EXPECT_EQ(click_patterns()[after_click_pattern].label(8), "9");
  EXPECT_EQ(click_patterns()[after_click_pattern].label(9), "10+");
  EXPECT_EQ(click_patterns()[click_count_pattern].label(0), "0");
  EXPECT_EQ(click_patterns()[click_count_pattern].label(5), "5+");
}

TEST(ClickPatternsTest, GapsAreWeightedByObservedCases) {
  const EventRates observed = {{30, 15}, {10, 0}, {0, 0}}, other = {{100, 40}, {100, 20}, {5, 5}};
  EXPECT_NEAR(mean_gap(observed, other), (30 * 0.1 + 10 * 0.2) / 40, 1e-12);
  EXPECT_TRUE(std::isnan(mean_gap({}, other)));
}

TEST(ClickPatternsTest, GapsInErrorsAreThoseOfTwoShares) {
  // (0.6 - 0.4) / sqrt(0.5 * 0.5 * (1/100 + 1/100))
  EXPECT_NEAR(gap_in_errors({100, 60}, {100, 40}), 0.2 / std::sqrt(0.005), 1e-12);
  EXPECT_EQ(gap_in_errors({100, 0}, {50, 0}), 0);
  EXPECT_EQ(gap_in_errors({0, 0}, {50, 20}), 0);
}

TEST(ClickPatternsTest, PooledRatesAddCasesAndEvents) {
  const EventRates rates = {{10, 1}, {20, 2}, {30, 3}};
  EXPECT_EQ(pooled(rates).cases, 60u);
  EXPECT_EQ(pooled(rates, 1).events, 5u);
}

}  // namespace
}  // namespace ultr::click_patterns_test
