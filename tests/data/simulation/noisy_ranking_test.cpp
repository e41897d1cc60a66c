#include "data/simulation/noisy_ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::noisy_ranking_test {
namespace {

using ::testing::ElementsAre;

/// Five candidates per query, the later the better.
NoisyRanking later_is_better() {
  return {.queries = 3,
          .candidates = 5,
          .shown = 2,
          .noise = 0,
          .quality = [](std::int64_t first, std::span<float> qualities) {
            std::iota(qualities.begin(), qualities.end(), static_cast<float>(first));
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
  std::vector<float> quality(static_cast<std::size_t>(ranking.candidates));
  ranking.quality(first, quality);
  std::vector<std::pair<double, std::uint32_t>> best;
  for (const float of_row : quality)
    best.emplace_back(-(static_cast<double>(of_row) + ranking.noise * random.normal()),
                      static_cast<std::uint32_t>(first) + best.size());
  std::sort(best.begin(), best.end());
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < ranking.shown; ++i) rows.push_back(best[i].second);
  return rows;
}

TEST(NoisyRankingTest, ListsAreThoseOfTheDefinitionWhateverIsApproximated) {
  for (const std::int64_t candidates : {1, 2, 7, 16, 17, 33, 128, 129})
    for (const double noise : {0.0, 1e-6, 0.5, 100.0}) {
      const NoisyRanking ranking = {
          .queries = 5,
          .candidates = candidates,
          .shown = static_cast<std::size_t>(std::min<std::int64_t>(candidates, 10)),
          .noise = noise,
          .quality = [](std::int64_t row, std::span<float> qualities) {
            // Some are equal, and some nearly so.
            for (float& of_row : qualities) {
              of_row = static_cast<float>(row % 5) + static_cast<float>(row % 2) * 1e-6f;
              ++row;
            }
          }};
      const DrawList draw = ranking.lists(3);
      std::vector<std::uint32_t> rows;
      for (std::uint64_t session = 0; session < 500; ++session) {
        draw(session, rows);
        ASSERT_EQ(rows, defined_list(ranking, 3, session))
            << candidates << " candidates, noise " << noise << ", session " << session;
      }
    }
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
