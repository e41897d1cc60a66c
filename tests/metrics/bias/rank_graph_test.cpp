#include "metrics/bias/rank_graph.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "metrics/logged_clicks.h"
#include "testing/not_finite.h"

namespace ultr::rank_graph_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::infinity;
using ::testing::IsEmpty;
using testing::log_of;
using testing::LoggedClicks;

TEST(RankGraphTest, LinksCountPairsAndTheirEffectiveNumber) {
  // Pair 1 at ranks 1 and 2, pair 2 at 1, 2 and 3, pair 3 at 2 only.
  const RankGraph graph = rank_graph(
      log_of({{1, 1, 1, 1}, {1, 2, 1, 3}, {2, 1, 3, 1}, {2, 2, 1, 0}, {2, 3, 0, 5}, {3, 2, 7, 0}}));
  EXPECT_THAT(graph.ranks, ElementsAre(0, 1, 2));
  EXPECT_THAT(graph.impressions, ElementsAre(2 + 4, 4 + 1 + 7, 5));
  EXPECT_THAT(graph.clicks, ElementsAre(1 + 3, 1 + 1 + 7, 0));
  ASSERT_EQ(graph.links.size(), 3u);
  const auto expect_link = [](const RankLink& link, std::size_t a, std::size_t b, double pairs,
                              double swaps) {
    EXPECT_EQ(link.a, a);
    EXPECT_EQ(link.b, b);
    EXPECT_EQ(link.pairs, pairs);
    EXPECT_DOUBLE_EQ(link.effective_swaps, swaps);
  };
  expect_link(graph.links[0], 0, 1, 2, 2 / (1. / 2 + 1. / 4) + 2 / (1. / 4 + 1. / 1));
  expect_link(graph.links[1], 0, 2, 1, 2 / (1. / 4 + 1. / 5));
  expect_link(graph.links[2], 1, 2, 1, 2 / (1. / 1 + 1. / 5));
  EXPECT_TRUE(graph.connected());
}

TEST(RankGraphTest, PlacesMayDivideWhatRanksConnect) {
  const SessionLog log = log_of({{1, 1, 1, 1}, {1, 2, 1, 1}, {2, 1, 1, 1}, {2, 2, 1, 1}});
  EXPECT_TRUE(rank_graph(log).connected());
  // Pair 1 on one device, pair 2 on another; each at both ranks.
  const RankGraph graph = rank_graph(log, {.of_documents = {0, 0, 2, 2, 1, 1, 3, 3}, .count = 4});
  EXPECT_THAT(graph.ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(graph.components, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_EQ(graph.standard_errors[1], infinity);
  EXPECT_LT(graph.standard_errors[2], 10);
}

TEST(RankGraphTest, AnImpressionIsWorthAtMostTwoSwaps) {
  const RankGraph once = rank_graph(log_of({{1, 1, 0, 1}, {1, 2, 0, 1}}));
  EXPECT_DOUBLE_EQ(once.links.at(0).effective_swaps, 1);
  const RankGraph uneven = rank_graph(log_of({{1, 1, 0, 1}, {1, 2, 0, 999}}));
  EXPECT_DOUBLE_EQ(uneven.links.at(0).effective_swaps, 2 / (1 + 1. / 999));
}

TEST(RankGraphTest, ComponentsAreRanksThatChainsOfPairsLink) {
  // 1-3 and 3-4 share pairs, as do 2-5; 6 shares none. Nothing is shown at 7. 8 shares only the
  // unknown pair.
  const RankGraph graph = rank_graph(log_of({{1, 1, 0, 1},
                                             {1, 3, 0, 1},
                                             {2, 3, 0, 1},
                                             {2, 4, 0, 1},
                                             {3, 2, 0, 1},
                                             {3, 5, 0, 1},
                                             {4, 6, 0, 1},
                                             {0, 1, 0, 1},
                                             {0, 8, 0, 1}}));
  EXPECT_THAT(graph.ranks, ElementsAre(0, 1, 2, 3, 4, 5, 7));
  EXPECT_THAT(graph.components,
              ElementsAre(ElementsAre(0, 2, 3), ElementsAre(1, 4), ElementsAre(5), ElementsAre(7)));
  EXPECT_FALSE(graph.connected());
  const auto& weakest = graph.weakest_links;
  EXPECT_FALSE(weakest[0] || weakest[1] || weakest[4] || weakest[5] || weakest[6]);
  EXPECT_TRUE(weakest[2] && weakest[3]);
}

TEST(RankGraphTest, TheWeakestLinkIsThatOfTheWidestPath) {
  // 1-2: 5 swaps, 2-3: 3, 1-3: 1, 3-4: 8.
  const RankGraph graph = rank_graph(log_of({{1, 1, 0, 5},
                                             {1, 2, 0, 5},
                                             {2, 2, 0, 3},
                                             {2, 3, 0, 3},
                                             {3, 1, 0, 1},
                                             {3, 3, 0, 1},
                                             {4, 3, 0, 8},
                                             {4, 4, 0, 8}}));
  const auto swaps = [&](std::size_t rank) {
    return graph.weakest_links[rank].value().effective_swaps;
  };
  EXPECT_FALSE(graph.weakest_links[0]);
  EXPECT_DOUBLE_EQ(swaps(1), 5);
  EXPECT_DOUBLE_EQ(swaps(2), 3) << "over rank 2, not by the one swap with rank 1";
  EXPECT_DOUBLE_EQ(swaps(3), 3);
  EXPECT_EQ(graph.weakest_links[3]->a, 1u);
  EXPECT_EQ(graph.weakest_links[3]->b, 2u);
  EXPECT_EQ(graph.widest_forest().size(), 3u);
}

TEST(RankGraphTest, OneLinkHasTheStandardErrorOfItsSwaps) {
  // Ten pairs with 4 impressions at rank 1 and 12 at rank 2, clicked half the time and a quarter of
  // the time.
  std::vector<LoggedClicks> shown;
  for (std::uint32_t pair = 1; pair <= 10; ++pair) {
    shown.push_back({pair, 1, 2, 2});
    shown.push_back({pair, 2, 3, 9});
  }
  const double first = 4 * 0.5 * 0.5, second = 12 * 0.25 * 0.75;
  const double information = 10 / (1 / first + 1 / second);
  EXPECT_THAT(rank_graph(log_of(shown)).standard_errors,
              ElementsAre(0, DoubleNear(1 / std::sqrt(information), 1e-12)));
}

TEST(RankGraphTest, ChainsAddTheirVariancesAndParallelPathsTheirInformation) {
  const std::vector<LoggedClicks> chain = {{1, 1, 3, 3}, {1, 2, 3, 3}, {2, 2, 5, 5}, {2, 3, 5, 5}};
  const double first = 1 / (6 / 4. / 2), second = 1 / (10 / 4. / 2);
  EXPECT_THAT(rank_graph(log_of(chain)).standard_errors,
              ElementsAre(0, DoubleNear(std::sqrt(first), 1e-12),
                          DoubleNear(std::sqrt(first + second), 1e-12)));
  std::vector<LoggedClicks> ring = chain;
  ring.insert(ring.end(), {{3, 1, 2, 2}, {3, 3, 2, 2}});
  const double direct = 1 / (4 / 4. / 2);
  EXPECT_NEAR(rank_graph(log_of(ring)).standard_errors[2],
              std::sqrt(1 / (1 / direct + 1 / (first + second))), 1e-12);
}

TEST(RankGraphTest, StandardErrorsAreInfiniteWhereClicksTellNothing) {
  EXPECT_THAT(
      rank_graph(log_of({{1, 1, 1, 1}, {1, 2, 0, 9}, {2, 1, 1, 1}, {2, 3, 1, 2}})).standard_errors,
      ElementsAre(0, infinity, ::testing::Lt(10)));
  EXPECT_THAT(rank_graph(log_of({{1, 1, 0, 1}, {1, 2, 1, 1}})).standard_errors,
              ElementsAre(0, infinity));
  EXPECT_THAT(rank_graph(log_of({{1, 1, 1, 1}, {2, 2, 1, 1}})).standard_errors,
              ElementsAre(0, infinity));
}

TEST(RankGraphSlowTest, StandardErrorsAreTheSpreadOfEstimates) {
  // 400 pairs of equal relevance, shown 3 times at rank 1 and once at rank 2. The test estimates
  // θ_2 - θ_1 by Mantel and Haenszel, which is as good as any estimator near θ_2 = θ_1.
  constexpr int logs = 200;
  double sum = 0, squares = 0, stated = 0;
  for (std::uint64_t number = 0; number < logs; ++number) {
    RandomStream random(1, RandomPurpose::testing, 0, number);
    const auto clicks = [&](int impressions) {
      int count = 0;
      for (int i = 0; i < impressions; ++i) count += random.uniform() < 0.3 ? 1 : 0;
      return count;
    };
    std::vector<LoggedClicks> shown;
    double odds_up = 0, odds_down = 0;
    for (std::uint32_t pair = 1; pair <= 400; ++pair) {
      const int top = clicks(3), low = clicks(1);
      shown.push_back({pair, 1, top, 3 - top});
      shown.push_back({pair, 2, low, 1 - low});
      odds_up += low * (3 - top) / 4.;
      odds_down += top * (1 - low) / 4.;
    }
    const double estimate = std::log(odds_up / odds_down);
    sum += estimate;
    squares += estimate * estimate;
    stated += rank_graph(log_of(shown)).standard_errors[1] / logs;
  }
  const double spread = std::sqrt((squares - sum * sum / logs) / (logs - 1));
  // The standard deviation of 200 normal numbers is known to about 1 / sqrt(2 200) = 5%.
  EXPECT_NEAR(spread / stated, 1, 4 * 0.05);
}

TEST(RankGraphTest, ALogWithoutSessionsHasNoRanks) {
  const RankGraph graph = rank_graph({});
  EXPECT_THAT(graph.ranks, IsEmpty());
  EXPECT_THAT(graph.components, IsEmpty());
  EXPECT_THAT(graph.widest_forest(), IsEmpty());
}

}  // namespace
}  // namespace ultr::rank_graph_test
