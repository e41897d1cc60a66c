#include "data/simulation/noisy_ranking.h"

#include <map>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::noisy_ranking_test {
namespace {

using ::testing::ElementsAre;

/// Five candidates per query, the later the better.
NoisyRanking later_is_better() {
  return {.queries = 3, .candidates = 5, .shown = 2, .noise = 0, .quality = [](std::int64_t row) {
            return static_cast<double>(row);
          }};
}

TEST(NoisyRankingTest, WithoutNoiseShowsTheBestCandidatesOfTheQuery) {
  const DrawList draw = later_is_better().lists(1);
  std::vector<std::uint32_t> rows;
  std::set<std::uint64_t> queries;
  for (std::uint64_t session = 0; session < 100; ++session) {
    const auto query = draw(session, rows);
    queries.insert(query);
    EXPECT_THAT(rows, ElementsAre(5 * query, 5 * query - 1));
  }
  EXPECT_THAT(queries, ElementsAre(1, 2, 3));
}

TEST(NoisyRankingTest, MuchNoiseShowsAllCandidatesEquallyOften) {
  NoisyRanking ranking = later_is_better();
  ranking.queries = 1;
  ranking.noise = 1e6;
  const DrawList draw = ranking.lists(1);
  std::vector<std::uint32_t> rows;
  std::map<std::uint32_t, int> first;
  for (std::uint64_t session = 0; session < 10000; ++session) {
    draw(session, rows);
    ++first[rows[0]];
  }
  ASSERT_EQ(first.size(), 5u);
  for (const auto& [row, count] : first) EXPECT_NEAR(count, 2000, 160) << row;  // 4 deviations
}

TEST(NoisyRankingTest, QueriesFollowZipfsLaw) {
  NoisyRanking ranking = later_is_better();
  ranking.zipf = 2;
  const DrawList draw = ranking.lists(1);
  std::vector<std::uint32_t> rows;
  std::vector<double> counts(3);
  for (std::uint64_t session = 0; session < 49000; ++session) ++counts[draw(session, rows) - 1];
  // P(query i) is 36, 9 and 4 parts of 49; four standard deviations.
  EXPECT_NEAR(counts[0], 36000, 391);
  EXPECT_NEAR(counts[1], 9000, 343);
  EXPECT_NEAR(counts[2], 4000, 243);
}

TEST(NoisyRankingTest, AListDependsOnTheSeedAndTheNumberOfTheSession) {
  NoisyRanking ranking = later_is_better();
  ranking.noise = 1e6;
  std::vector<std::uint32_t> rows;
  std::set<std::vector<std::uint32_t>> shown;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto query = ranking.lists(7)(3, rows);
    shown.insert(rows);
    EXPECT_EQ(query, (rows[0] - 1) / 5 + 1);
  }
  EXPECT_EQ(shown.size(), 1u);
  ranking.lists(8)(3, rows);
  shown.insert(rows);
  ranking.lists(7)(4, rows);
  shown.insert(rows);
  EXPECT_EQ(shown.size(), 3u);
}

}  // namespace
}  // namespace ultr::noisy_ranking_test
