#include "metrics/residual_correlation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::residual_correlation_test {
namespace {

TEST(ResidualCorrelationTest, MeansAndCorrelationsByHand) {
  const std::vector<ClickResidual> residuals = {
      {0, 1, 0.5, 1}, {0, 2, -0.1, 2}, {0, 3, 0.2, 6}, {2, 1, 0.3}, {2, 2, 0.1}};
  const ResidualCorrelation result = correlate_residuals(residuals);
  ASSERT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.ranks[0].rank, 0u);
  EXPECT_EQ(result.ranks[0].residuals, 3u);
  EXPECT_NEAR(result.ranks[0].mean.value, 0.2, 1e-12);
  EXPECT_NEAR(result.ranks[0].mean.standard_error,
              std::sqrt((0.3 * 0.3 + 0.3 * 0.3 + 0) * 3 / 2) / 3, 1e-12);
  // Deviations 0.3, -0.3, 0 and -2, -1, 3.
  const double scale = std::sqrt((0.09 + 0.09) * (4 + 1 + 9));
  EXPECT_NEAR(result.ranks[0].correlation.value, (-0.6 + 0.3) / scale, 1e-12);
  EXPECT_NEAR(result.ranks[0].correlation.standard_error, std::sqrt((0.36 + 0.09) * 3 / 2) / scale,
              1e-12);
  EXPECT_EQ(result.ranks[1].rank, 2u);
  EXPECT_TRUE(std::isnan(result.ranks[1].correlation.value)) << "no policy score";
  EXPECT_NEAR(result.with_score.value, result.ranks[0].correlation.value, 1e-12);
}

TEST(ResidualCorrelationTest, MeansOfRanksAreNoCorrelationWithinThem) {
  // Score and residual fall together from rank to rank, but move in opposite directions within
  // each.
  const std::vector<ClickResidual> residuals = {
      {0, 1, 0.4, 9}, {0, 2, 0.6, 8}, {1, 1, -0.6, 2}, {1, 2, -0.4, 1}};
  const ResidualCorrelation result = correlate_residuals(residuals);
  EXPECT_NEAR(result.with_score.value, -1, 1e-12);
  EXPECT_LT(result.with_rank.value, -0.9);
}

TEST(ResidualCorrelationTest, ConstantsHaveNoCorrelation) {
  const std::vector<ClickResidual> equal = {{0, 1, 0.1, 3}, {0, 2, 0.1, 4}, {0, 3, 0.1, 5}};
  EXPECT_TRUE(std::isnan(correlate_residuals(equal).with_score.value));
  EXPECT_TRUE(std::isnan(correlate_residuals(equal).with_rank.value));
  const std::vector<ClickResidual> one_group = {{0, 1, 0.1, 3}, {0, 1, 0.5, 4}};
  EXPECT_TRUE(std::isnan(correlate_residuals(one_group).ranks[0].mean.value));
  EXPECT_FALSE(correlate_residuals(one_group).follows_policy());
  EXPECT_EQ(correlate_residuals(one_group).most_certain(), nullptr);
  EXPECT_TRUE(correlate_residuals({}).ranks.empty());
}

/// At the first rank, the products of residual and score sum to 0 in each of two groups.
TEST(ResidualCorrelationTest, AnExactZeroDoesNotFollowThePolicy) {
  std::vector<ClickResidual> residuals;
  for (const std::uint64_t group : {1, 2})
    for (const double residual : {-1., 1.})
      for (const double score : {-1., 1.}) residuals.push_back({0, group, residual, score});
  ResidualCorrelation result = correlate_residuals(residuals);
  EXPECT_EQ(result.with_score.value, 0);
  EXPECT_EQ(result.with_score.standard_error, 0);
  EXPECT_FALSE(result.follows_policy());
  // At the second rank, the correlation is 1 with a standard error of 1.
  residuals.push_back({1, 1, 1, 1});
  residuals.push_back({1, 2, -1, -1});
  result = correlate_residuals(residuals);
  ASSERT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.most_certain()->rank, 1u);
}

TEST(ResidualCorrelationTest, StandardErrorsHoldWhereGroupsDepend) {
  // Groups of ten equal residuals at two ranks: 1 / sqrt(groups), not 1 / sqrt(residuals).
  constexpr int logs = 300, groups = 100;
  int outside = 0;
  for (std::uint32_t log = 0; log < logs; ++log) {
    std::vector<ClickResidual> residuals;
    for (std::uint64_t group = 0; group < groups; ++group) {
      RandomStream random(1, RandomPurpose::testing, log, group);
      const double residual = random.normal(), score = random.normal();
      for (std::size_t i = 0; i < 10; ++i) residuals.push_back({i % 2, group, residual, score});
    }
    const Estimate estimate = correlate_residuals(residuals).with_score;
    outside += estimate.lower() > 0 || estimate.upper() < 0 ? 1 : 0;
  }
  const double expected = 0.05 * logs;
  EXPECT_NEAR(outside, expected, 4 * std::sqrt(expected));
}

/// Returns residuals of two hundred queries. The residual at rank k follows the score with slope
/// `slopes[k]`, plus noise.
ResidualCorrelation sloped(const std::vector<double>& slopes, std::uint32_t log = 0) {
  std::vector<ClickResidual> residuals;
  for (std::uint64_t group = 0; group < 200; ++group) {
    RandomStream random(2, RandomPurpose::testing, log, group);
    for (std::size_t rank = 0; rank < slopes.size(); ++rank) {
      const double score = random.normal();
      residuals.push_back({rank, group, slopes[rank] * score + random.normal(), score});
    }
  }
  return correlate_residuals(residuals);
}

TEST(ResidualCorrelationTest, RanksThatCancelStillFollowThePolicy) {
  const ResidualCorrelation opposite = sloped({0.6, -0.6, 0});
  EXPECT_LT(std::abs(opposite.with_score.value), 0.15);
  EXPECT_TRUE(opposite.follows_policy());
  EXPECT_EQ(sloped({0, 0, 0.6, 0}).most_certain()->rank, 2u);
  EXPECT_TRUE(sloped({0.2, 0.2, 0.2, 0.2, 0.2, 0.2}).follows_policy());
}

TEST(ResidualCorrelationTest, NoiseSeldomFollowsThePolicy) {
  constexpr int logs = 200;
  int follows = 0;
  for (std::uint32_t log = 0; log < logs; ++log)
    follows += sloped({0, 0, 0, 0, 0}, log).follows_policy() ? 1 : 0;
  EXPECT_LT(follows, 0.05 * logs + 4 * std::sqrt(0.05 * 0.95 * logs));
}

}  // namespace
}  // namespace ultr::residual_correlation_test
