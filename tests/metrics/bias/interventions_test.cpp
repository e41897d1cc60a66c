#include "metrics/bias/interventions.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/bootstrap.h"
#include "metrics/logged_clicks.h"

namespace ultr::interventions_test {
namespace {

using ::testing::ElementsAre;
using testing::log_of;

void expect_equal(const InterventionSums& sums, const InterventionSums& expected) {
  EXPECT_EQ(sums.impressions, expected.impressions);
  EXPECT_EQ(sums.clicks, expected.clicks);
  EXPECT_EQ(sums.set_sizes, expected.set_sizes);
  EXPECT_EQ(sums.set_click_rates, expected.set_click_rates);
}

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
  const InterventionSums weighted =
      Interventions(log).sums(1, [&](std::size_t) { return times; }).front();
  expect_equal(weighted, Interventions(repeated_log).sums());
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

/// Random lists of pairs at several ranks, the first of which are not shown.
SessionLog random_log(std::size_t sessions, std::size_t ranks_not_shown) {
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  SessionLog log;
  for (std::size_t s = 0; s < sessions; ++s) {
    std::vector<std::uint32_t> rows(1 + random.below(6));
    std::vector<std::uint16_t> positions(rows.size());
    std::vector<std::uint8_t> clicks(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<std::uint32_t>(random.below(400));
      positions[i] = static_cast<std::uint16_t>(i == 0 ? ranks_not_shown + random.below(2)
                                                       : positions[i - 1] + 1u);
      clicks[i] = static_cast<std::uint8_t>(random.below(2));
    }
    log.add({.rows = rows, .positions = positions, .clicks = clicks});
  }
  return log;
}

class ResampledInterventionsTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ResampledInterventionsTest, SumsAreThoseOfTheDefinition) {
  const SessionLog log = random_log(2000, GetParam());
  const Interventions interventions(log);
  std::vector<std::vector<std::uint8_t>> times;
  for (std::uint64_t i = 0; i < 11; ++i)
    times.push_back(
        draw_with_replacement(log.sessions(), RandomStream(2, RandomPurpose::resampling, 3, i)));
  const std::vector<InterventionSums> together =
      interventions.sums(times.size(), [&](std::size_t i) { return times[i]; });
  ASSERT_EQ(together.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i)
    expect_equal(together[i], defined_sums(log, times[i]));

  for (const int threads : {1, 3}) {
    std::vector<InterventionSums> sums(times.size(), InterventionSums(0));
    std::vector<std::size_t> done;
    resample_sums(
        interventions, {.resamples = times.size(), .seed = 2, .step = 3, .threads = threads},
        [&](std::size_t i, const InterventionSums& of_one) { sums[i] = of_one; },
        [&](std::size_t count) { done.push_back(count); });
    for (std::size_t i = 0; i < times.size(); ++i) expect_equal(sums[i], together[i]);
    EXPECT_EQ(done.back(), times.size());
  }
}

INSTANTIATE_TEST_SUITE_P(FewAndManyRanks, ResampledInterventionsTest, ::testing::Values(0u, 300u));

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
