#include "data/simulation/noisy_ranking.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::noisy_ranking_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

/// Returns numbers that outlive all lists.
DocumentQuality quality_of(std::vector<float> values) {
  static std::list<std::vector<float>> kept;
  return {kept.emplace_back(std::move(values)).data()};
}

/// Five candidates per query, the later the better.
NoisyRanking later_is_better() {
  std::vector<float> quality(3 * 5 + 1);
  std::iota(quality.begin(), quality.end(), 0.0f);
  return {.queries = 3, .candidates = 5, .shown = 2, .noise = 0, .quality = quality_of(quality)};
}

/// Returns sessions `first` to first + count - 1.
SessionLog draw(const NoisyRanking& ranking, std::uint64_t seed, std::size_t count,
                std::uint64_t first = 0) {
  SessionLog log;
  ranking.lists(seed)(first, count, log);
  EXPECT_EQ(log.sessions(), count);
  EXPECT_EQ(log.clicked(), 0u);
  EXPECT_TRUE(log.gapless());
  return log;
}

TEST(NoisyRankingTest, WithoutNoiseShowsTheBestCandidatesOfTheQuery) {
  std::set<std::uint64_t> queries;
  const SessionLog log = draw(later_is_better(), 1, 100);
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    const std::uint64_t query = log[i].query;
    queries.insert(query);
    EXPECT_THAT(log[i].rows, ElementsAre(5 * query, 5 * query - 1));
  }
  EXPECT_THAT(queries, ElementsAre(1, 2, 3));
}

TEST(NoisyRankingTest, MuchNoiseShowsAllCandidatesEquallyOften) {
  NoisyRanking ranking = later_is_better();
  ranking.queries = 1;
  ranking.noise = 1e6;
  std::map<std::uint32_t, int> first;
  const SessionLog log = draw(ranking, 1, 10000);
  for (std::size_t i = 0; i < log.sessions(); ++i) ++first[log[i].rows[0]];
  ASSERT_EQ(first.size(), 5u);
  for (const auto& [row, count] : first) EXPECT_NEAR(count, 2000, 160) << row;  // 4 deviations
}

TEST(NoisyRankingTest, QueriesFollowZipfsLaw) {
  NoisyRanking ranking = later_is_better();
  ranking.zipf = 2;
  std::vector<double> counts(3);
  const SessionLog log = draw(ranking, 1, 49000);
  for (std::size_t i = 0; i < log.sessions(); ++i) ++counts[log[i].query - 1];
  // P(query i) is 36, 9 and 4 parts of 49; four standard deviations.
  EXPECT_NEAR(counts[0], 36000, 391);
  EXPECT_NEAR(counts[1], 9000, 343);
  EXPECT_NEAR(counts[2], 4000, 243);
}

/// Returns what a session shows by the definition.
std::vector<std::uint32_t> defined_list(const NoisyRanking& ranking, std::uint64_t seed,
                                        std::uint64_t session) {
  RandomStream random(seed, RandomPurpose::simulation, 0, session);
  const double u = random.uniform();
  double total = 0, below = 0;
  for (std::int64_t i = 1; i <= ranking.queries; ++i)
    total += std::pow(static_cast<double>(i), -ranking.zipf);
  std::int64_t query = 0;
  while ((below += std::pow(static_cast<double>(query + 1), -ranking.zipf)) / total < u) ++query;
  const std::int64_t first = query * ranking.candidates + 1;
  std::vector<std::pair<double, std::uint32_t>> best;
  for (std::int64_t row = first; row < first + ranking.candidates; ++row) {
    const float quality = ranking.quality.values[row * ranking.quality.stride];
    best.emplace_back(-(static_cast<double>(quality) + ranking.noise * random.normal()),
                      static_cast<std::uint32_t>(row));
  }
  std::sort(best.begin(), best.end());
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < ranking.shown; ++i) rows.push_back(best[i].second);
  return rows;
}

TEST(NoisyRankingTest, ListsAreThoseOfTheDefinitionWhateverIsApproximated) {
  for (const std::int64_t candidates : {1, 2, 7, 16, 17, 33, 128, 129})
    for (const double noise : {0.0, 1e-6, 0.5, 100.0}) {
      constexpr std::int64_t stride = 2, queries = 5;
      std::vector<float> quality(static_cast<std::size_t>((queries * candidates + 1) * stride));
      for (std::int64_t row = 1; row <= queries * candidates; ++row)  // some are nearly equal
        quality[static_cast<std::size_t>(row * stride)] =
            static_cast<float>(row % 5) + static_cast<float>(row % 2) * 1e-6f;
      const NoisyRanking ranking = {
          .queries = queries,
          .candidates = candidates,
          .shown = static_cast<std::size_t>(std::min<std::int64_t>(candidates, 10)),
          .noise = noise,
          .quality = {quality.data(), stride}};
      constexpr std::uint64_t first_session = 1000;
      const SessionLog log = draw(ranking, 3, 500, first_session);
      for (std::size_t i = 0; i < log.sessions(); ++i) {
        ASSERT_THAT(log[i].rows, ElementsAreArray(defined_list(ranking, 3, first_session + i)))
            << candidates << " candidates, noise " << noise << ", session " << i;
        ASSERT_EQ(log[i].query, (log[i].rows[0] - 1) / candidates + 1);
      }
    }
}

TEST(NoisyRankingSlowTest, ScoresThatAreNearlyEqualAreRankedExactly) {
  // Some two hundred million pairs of scores, a few of which differ by less than float32 tells.
  const NoisyRanking ranking = {
      .candidates = 128, .shown = 128, .quality = quality_of(std::vector<float>(128 + 1, 0.25f))};
  const SessionLog log = draw(ranking, 5, 25000);
  for (std::size_t i = 0; i < log.sessions(); ++i)
    ASSERT_THAT(log[i].rows, ElementsAreArray(defined_list(ranking, 5, i))) << i;
}

TEST(NoisyRankingTest, WithoutQualityNoiseAloneRanks) {
  NoisyRanking ranking = later_is_better();
  ranking.quality = {};
  ranking.noise = 1;
  const SessionLog by_noise = draw(ranking, 1, 100);
  ranking.quality = quality_of(std::vector<float>(3 * 5 + 1));
  const SessionLog equal = draw(ranking, 1, 100);
  EXPECT_THAT(by_noise.rows(), ElementsAreArray(equal.rows()));
}

TEST(NoisyRankingTest, AListDependsOnTheSeedAndTheNumberOfTheSession) {
  NoisyRanking ranking = later_is_better();
  ranking.noise = 1e6;
  std::set<std::vector<std::uint32_t>> shown;
  const auto show = [&](std::uint64_t seed, std::size_t count, std::uint64_t first,
                        std::uint64_t session) {
    const SessionLog log = draw(ranking, seed, count, first);
    const SessionView list = log[session - first];
    EXPECT_EQ(list.query, (list.rows[0] - 1) / 5 + 1);
    shown.emplace(list.rows.begin(), list.rows.end());
  };
  show(7, 1, 3, 3);
  show(7, 150, 0, 3);
  show(7, 100, 3, 3);
  EXPECT_EQ(shown.size(), 1u);
  show(8, 1, 3, 3);
  show(7, 1, 4, 4);
  EXPECT_EQ(shown.size(), 3u);
}

}  // namespace
}  // namespace ultr::noisy_ranking_test
