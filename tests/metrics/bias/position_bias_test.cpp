#include "metrics/bias/position_bias.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "metrics/logged_clicks.h"

namespace ultr::position_bias_test {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;
using testing::log_of;
using testing::LoggedClicks;
using ::testing::ThrowsMessage;

InterventionSums sums_of(const std::vector<LoggedClicks>& shown) {
  return Interventions(log_of(shown)).sums();
}

/// Click rates 1/2 and 1/4 of pair 1 at ranks 1 and 2; 1/2, 1/8 and 1/8 of pair 2 at ranks 1 to 3;
/// 1/2 of pair 3 at rank 3.
const std::vector<LoggedClicks> example = {{1, 1, 2, 2}, {1, 2, 1, 3}, {2, 1, 4, 4},
                                           {2, 2, 1, 7}, {2, 3, 1, 7}, {3, 3, 1, 1}};

TEST(PositionBiasTest, ClickRatesAreThoseOfAllDocuments) {
  EXPECT_THAT(relative_click_rates(sums_of(example)),
              ElementsAre(1, DoubleEq((2. / 12) / (6. / 12)), DoubleEq((2. / 10) / (6. / 12))));
}

TEST(PositionBiasTest, TheChainMultipliesRatiosOfNeighbours) {
  const double second = (1. / 4 + 1. / 8) / (1. / 2 + 1. / 2), third = (1. / 8) / (1. / 8);
  EXPECT_THAT(adjacent_chain(sums_of(example)),
              ElementsAre(1, DoubleEq(second), DoubleEq(second * third)));
}

TEST(PositionBiasTest, ThePivotIsComparedWithEachRank) {
  const InterventionSums sums = sums_of(example);
  EXPECT_THAT(pivot_rank(sums, 0), ElementsAre(1, DoubleEq((1. / 4 + 1. / 8) / (1. / 2 + 1. / 2)),
                                               DoubleEq((1. / 8) / (1. / 2))));
  const double first = (1. / 2) / (1. / 8), second = (1. / 8) / (1. / 8);
  EXPECT_THAT(pivot_rank(sums, 2), ElementsAre(1, DoubleEq(second / first), DoubleEq(1 / first)));
  EXPECT_THAT([&] { pivot_rank(sums, 3); },
              ThrowsMessage<Error>(HasSubstr("the pivot is rank 4; expected one of the log's 3")));
}

TEST(PositionBiasTest, AllPairsOfTwoRanksIsTheirRatio) {
  // Two ranks leave p and r free to fit both click rates.
  EXPECT_THAT(all_pairs(sums_of({{1, 1, 2, 2}, {1, 2, 1, 3}, {2, 1, 4, 4}, {2, 2, 1, 7}})),
              ElementsAre(1, DoubleNear((1. / 4 + 1. / 8) / (1. / 2 + 1. / 2), 1e-9)));
}

TEST(PositionBiasTest, AllPairsFindsWhatFitsEverySet) {
  // Click rates θ_k γ_d with θ = 1, 1/2, 1/4, so that every set agrees.
  EXPECT_THAT(all_pairs(sums_of({{1, 1, 4, 4},  // γ = 1/2
                                 {1, 2, 2, 6},
                                 {2, 2, 1, 3},  // γ = 1/2
                                 {2, 3, 1, 7},
                                 {3, 1, 8, 0},  // γ = 1
                                 {3, 3, 2, 6}})),
              ElementsAre(1, DoubleNear(0.5, 1e-7), DoubleNear(0.25, 1e-7)));
}

/// Random intervention sets, some of them empty or without clicks.
InterventionSums random_sums(std::uint64_t seed, std::size_t positions) {
  RandomStream random(seed, RandomPurpose::testing, 0, 0);
  InterventionSums sums(positions);
  for (std::size_t k = 0; k < positions; ++k)
    for (std::size_t other = 0; other < k; ++other) {
      const double size = random.uniform() < 0.2 ? 0 : 1 + static_cast<double>(random.below(50));
      for (const std::size_t at : {k * positions + other, other * positions + k}) {
        sums.set_sizes[at] = size;
        const double share = random.uniform() < 0.1   ? 0
                             : random.uniform() < 0.1 ? 1
                                                      : std::pow(random.uniform(), 2.);
        sums.set_click_rates[at] = share * size;
      }
    }
  return sums;
}

/// Returns the largest value of the sum over sets for a given p, by golden-section search in each
/// log r.
double best_value(const InterventionSums& sums, const Propensities& p) {
  double sum = 0;
  for (std::size_t k = 0; k < sums.positions; ++k)
    for (std::size_t other = 0; other < k; ++other) {
      if (!(p[k] > 0) || !(p[other] > 0) || sums.size(k, other) == 0) continue;
      const auto term = [&](double x, double size, double clicks) {
        return (clicks > 0 ? clicks * x : 0) +
               (size > clicks ? (size - clicks) * std::log(-std::expm1(x)) : 0);
      };
      const auto value = [&](double log_r) {
        return term(std::log(p[k]) + log_r, sums.size(k, other), sums.click_rates(k, other)) +
               term(std::log(p[other]) + log_r, sums.size(k, other), sums.click_rates(other, k));
      };
      double low = -60, high = -std::log(std::max(p[k], p[other]));
      for (int i = 0; i < 120; ++i) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        (value(a) < value(b) ? low : high) = value(a) < value(b) ? a : b;
      }
      sum += value((low + high) / 2);
    }
  return sum;
}

TEST(PositionBiasTest, AllPairsIsTheLargestValueOfItsSum) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const InterventionSums sums = random_sums(seed, 2 + seed % 5);
    const Propensities p = all_pairs(sums);
    const double best = best_value(sums, p);
    for (std::size_t k = 1; k < p.size(); ++k) {
      if (!(p[k] > 0)) continue;
      for (const double factor : {0.98, 1.02}) {
        Propensities other = p;
        other[k] *= factor;
        EXPECT_LT(best_value(sums, other), best + 1e-7) << "seed " << seed << ", rank " << k + 1;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(PositionBiasTest, HarvestersAgreeWhereOnlyTwoRanksAreShown) {
  const InterventionSums sums = sums_of({{1, 1, 3, 1}, {1, 2, 1, 1}, {2, 1, 1, 1}, {2, 2, 0, 4}});
  const double expected = (1. / 2) / (3. / 4 + 1. / 2);
  for (const BiasMethod& method : bias_methods()) {
    if (!method.harvests) continue;
    for (const std::size_t pivot : {0u, 1u})
      EXPECT_THAT(method.estimate(sums, pivot), ElementsAre(1, DoubleNear(expected, 1e-9)))
          << method.name;
  }
}

TEST(PositionBiasTest, WithoutPairsAtSeveralRanksNothingIsHarvested) {
  const InterventionSums sums = sums_of({{1, 1, 1, 1}, {2, 2, 1, 1}, {3, 3, 1, 1}});
  for (const BiasMethod& method : bias_methods()) {
    const Propensities propensities = method.estimate(sums, 0);
    EXPECT_EQ(propensities.size(), 3u) << method.name;
    if (method.harvests)
      EXPECT_THAT(propensities, Each(IsNan())) << method.name;
    else
      EXPECT_THAT(propensities, Each(1)) << method.name;
  }
}

TEST(PositionBiasTest, RanksThatNothingLinksToTheFirstAreUnknown) {
  // Some pairs at ranks 1 and 2, others at 3 and 4.
  const InterventionSums sums = sums_of({{1, 1, 2, 2}, {1, 2, 1, 3}, {2, 3, 1, 1}, {2, 4, 1, 3}});
  for (const BiasMethod& method : bias_methods()) {
    if (!method.harvests) continue;
    EXPECT_THAT(method.estimate(sums, 0), ElementsAre(1, DoubleNear(0.5, 1e-9), IsNan(), IsNan()))
        << method.name;
  }
}

TEST(PositionBiasTest, RanksWithoutClicksAreZeroAndEndTheChain) {
  // Rank 3 has no clicks, unlike its neighbours, ranks 2 and 4.
  const InterventionSums sums = sums_of({{1, 1, 2, 2},
                                         {1, 2, 1, 3},
                                         {2, 2, 1, 3},
                                         {2, 3, 0, 4},
                                         {3, 3, 0, 4},
                                         {3, 4, 1, 3},
                                         {4, 1, 1, 3},
                                         {4, 3, 0, 1}});
  EXPECT_THAT(relative_click_rates(sums),
              ElementsAre(1, DoubleEq((2. / 8) / (3. / 8)), 0, DoubleEq((1. / 4) / (3. / 8))));
  EXPECT_THAT(adjacent_chain(sums), ElementsAre(1, 0.5, 0, IsNan()));
  EXPECT_THAT(pivot_rank(sums, 0), ElementsAre(1, 0.5, 0, IsNan()));
  EXPECT_THAT(all_pairs(sums), ElementsAre(1, DoubleNear(0.5, 1e-9), 0, IsNan()))
      << "rank 4 is only known to be above rank 3";
}

TEST(PositionBiasTest, NothingIsRelativeToAFirstRankWithoutClicks) {
  const InterventionSums sums = sums_of({{1, 1, 0, 4}, {1, 2, 1, 3}, {2, 2, 2, 2}, {2, 3, 1, 3}});
  for (const BiasMethod& method : bias_methods())
    EXPECT_THAT(method.estimate(sums, 0), Each(IsNan())) << method.name;
}

TEST(PositionBiasTest, ASingleRankAndAnEmptyLogHaveNothingToCompare) {
  const InterventionSums one = sums_of({{1, 1, 1, 1}});
  EXPECT_THAT(relative_click_rates(one), ElementsAre(1));
  for (const Propensities& harvested : {adjacent_chain(one), pivot_rank(one, 0), all_pairs(one)})
    EXPECT_THAT(harvested, ElementsAre(IsNan()));
  const InterventionSums none(0);
  EXPECT_TRUE(relative_click_rates(none).empty());
  EXPECT_TRUE(adjacent_chain(none).empty());
  EXPECT_TRUE(all_pairs(none).empty());
}

}  // namespace
}  // namespace ultr::position_bias_test
