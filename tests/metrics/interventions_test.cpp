#include "metrics/interventions.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/bootstrap.h"
#include "metrics/logged_clicks.h"

namespace ultr::interventions_test {
namespace {

using ::testing::ElementsAre;
using testing::log_of;

TEST(InterventionsTest, SumsClickRatesOfPairsShownAtBothPositions) {
  // Pair 1 at ranks 1 and 2, pair 2 at 1, 2 and 3, pair 3 at 2 only.
  const SessionLog log =
      log_of({{1, 1, 1, 1}, {1, 2, 1, 3}, {2, 1, 3, 1}, {2, 2, 1, 0}, {2, 3, 0, 5}, {3, 2, 7, 0}});
  const InterventionSums sums = Interventions(log).sums();
  EXPECT_EQ(sums.positions, 3u);
  EXPECT_THAT(sums.impressions, ElementsAre(2 + 4, 4 + 1 + 7, 5));
  EXPECT_THAT(sums.clicks, ElementsAre(1 + 3, 1 + 1 + 7, 0));
  EXPECT_THAT(sums.set_sizes, ElementsAre(0, 2, 1, 2, 0, 1, 1, 1, 0));
  EXPECT_THAT(sums.set_click_rates, ElementsAre(0, 1. / 2 + 3. / 4, 3. / 4,  //
                                                1. / 4 + 1. / 1, 0, 1. / 1,  //
                                                0, 0, 0));
  EXPECT_TRUE(sums.any());
}

TEST(InterventionsTest, AWeightedLogIsOneWithSessionsRepeated) {
  const std::vector<testing::LoggedClicks> shown = {
      {1, 1, 1, 0}, {1, 2, 0, 1}, {2, 1, 0, 1}, {2, 2, 1, 0}, {2, 3, 1, 0}};
  const std::vector<std::uint8_t> times = {3, 1, 0, 2, 5};
  std::vector<testing::LoggedClicks> repeated;
  for (std::size_t i = 0; i < shown.size(); ++i)
    repeated.insert(repeated.end(), times[i], shown[i]);
  const SessionLog log = log_of(shown), repeated_log = log_of(repeated);
  const InterventionSums weighted = Interventions(log).sums(times);
  const InterventionSums expected = Interventions(repeated_log).sums();
  EXPECT_EQ(weighted.impressions, expected.impressions);
  EXPECT_EQ(weighted.clicks, expected.clicks);
  EXPECT_EQ(weighted.set_sizes, expected.set_sizes);
  EXPECT_EQ(weighted.set_click_rates, expected.set_click_rates);
}

/// Sums them up as they are defined, pair by pair.
InterventionSums defined_sums(const SessionLog& log, std::span<const std::uint8_t> times) {
  InterventionSums sums(log.positions());
  std::map<std::uint32_t, std::map<std::size_t, PairAtPosition>> pairs;
  for (std::size_t s = 0; s < log.sessions(); ++s)
    for (std::size_t i = 0; i < log.length(s); ++i) {
      const std::size_t k = log[s].positions[i];
      const double taken = times[s], clicks = taken * log[s].clicks[i];
      sums.impressions[k] += taken;
      sums.clicks[k] += clicks;
      if (taken == 0 || log[s].rows[i] == 0) continue;
      PairAtPosition& at = pairs[log[s].rows[i]][k];
      at = {k, at.impressions + taken, at.clicks + clicks};
    }
  for (const auto& [row, shown] : pairs)
    for (const auto& [a, at_a] : shown)
      for (const auto& [b, at_b] : shown) {
        if (a == b) continue;
        sums.set_sizes[a * sums.positions + b] += 1;
        sums.set_click_rates[a * sums.positions + b] += at_a.click_rate();
      }
  return sums;
}

TEST(InterventionsTest, SumsOfResamplesAreThoseOfTheDefinition) {
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  SessionLog log;
  for (int s = 0; s < 2000; ++s) {
    std::vector<std::uint32_t> rows(1 + random.below(6));
    std::vector<std::uint16_t> positions(rows.size());
    std::vector<std::uint8_t> clicks(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<std::uint32_t>(random.below(400));
      positions[i] = static_cast<std::uint16_t>(i == 0 ? random.below(2) : positions[i - 1] + 1);
      clicks[i] = static_cast<std::uint8_t>(random.below(2));
    }
    log.add({.rows = rows, .positions = positions, .clicks = clicks});
  }
  const Interventions interventions(log);
  for (std::uint64_t resample = 0; resample < 5; ++resample) {
    const auto times =
        draw_with_replacement(log.sessions(), RandomStream(2, RandomPurpose::testing, 0, resample));
    const InterventionSums sums = interventions.sums(times), expected = defined_sums(log, times);
    EXPECT_EQ(sums.impressions, expected.impressions);
    EXPECT_EQ(sums.clicks, expected.clicks);
    EXPECT_EQ(sums.set_sizes, expected.set_sizes);
    EXPECT_EQ(sums.set_click_rates, expected.set_click_rates);
  }
}

TEST(InterventionsTest, VisitsPairsWithThePositionsTheyWereShownAt) {
  const SessionLog log = log_of({{2, 3, 0, 1}, {1, 2, 1, 0}, {1, 1, 1, 1}, {2, 1, 0, 2}});
  std::vector<std::vector<std::vector<double>>> pairs;
  const auto collect = [&](std::span<const PairAtPosition> shown) {
    pairs.emplace_back();
    for (const PairAtPosition& at : shown)
      pairs.back().push_back({static_cast<double>(at.position), at.impressions, at.clicks});
  };
  const Interventions interventions(log);
  interventions.each_pair(collect);
  EXPECT_THAT(pairs, ElementsAre(ElementsAre(ElementsAre(0, 2, 1), ElementsAre(1, 1, 1)),
                                 ElementsAre(ElementsAre(0, 2, 0), ElementsAre(2, 1, 0))));
  pairs.clear();
  interventions.each_pair(collect, std::vector<std::uint8_t>{0, 3, 0, 2, 0, 0});
  EXPECT_THAT(pairs, ElementsAre(ElementsAre(ElementsAre(0, 2, 0), ElementsAre(1, 3, 3))));
}

TEST(InterventionsTest, PlacesTakeThePlaceOfPositions) {
  // Pair 1 at rank 1, at places 0 and 2 of three; pair 2 at both ranks, always at place 1.
  const SessionLog log = log_of({{1, 1, 1, 2}, {2, 1, 1, 0}, {2, 2, 0, 1}});
  const DisplayPlaces places = {.of_documents = {0, 2, 2, 1, 1}, .count = 3};
  const InterventionSums sums = Interventions(log, places).sums();
  EXPECT_EQ(sums.positions, 3u);
  EXPECT_THAT(sums.impressions, ElementsAre(1, 2, 2));
  EXPECT_THAT(sums.clicks, ElementsAre(1, 1, 0));
  EXPECT_THAT(sums.set_sizes, ElementsAre(0, 0, 1, 0, 0, 0, 1, 0, 0));
  EXPECT_EQ(sums.click_rates(0, 2), 1);
}

TEST(InterventionsTest, UnknownPairsAreNoPair) {
  const SessionLog log = log_of({{0, 1, 1, 0}, {0, 2, 1, 0}});
  EXPECT_FALSE(Interventions(log).sums().any());
}

TEST(InterventionsTest, PositionsAreLinkedByChainsOfSets) {
  // 1-3 and 3-4 have pairs in common, as do 2-5; 6 has none.
  const SessionLog log = log_of({{1, 1, 0, 1},
                                 {1, 3, 0, 1},
                                 {2, 3, 0, 1},
                                 {2, 4, 0, 1},
                                 {3, 2, 0, 1},
                                 {3, 5, 0, 1},
                                 {4, 6, 0, 1}});
  EXPECT_THAT(Interventions(log).sums().linked_to_first(),
              ElementsAre(true, false, true, true, false, false));
  EXPECT_TRUE(InterventionSums(0).linked_to_first().empty());
}

}  // namespace
}  // namespace ultr::interventions_test
