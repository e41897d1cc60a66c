#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/predicted_clicks.h"
#include "analyses/temperature_log.h"

namespace ultr::click_residuals_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

Dataset two_sessions() {
  Dataset dataset;
  for (std::uint64_t document : {1u, 2u, 3u}) dataset.dictionary.add(7, document);
  const std::vector<std::uint16_t> positions = {0, 2};
  const std::vector<std::uint8_t> clicks = {1, 0};
  dataset.train.add({.rows = std::vector<std::uint32_t>{1, 2},
                     .positions = positions,
                     .clicks = clicks,
                     .query = 7});
  dataset.train.add({.rows = std::vector<std::uint32_t>{3, 1},
                     .positions = positions,
                     .clicks = clicks,
                     .query = 7});
  return dataset;
}

const DocumentSample all = {.sessions = {0, 1}};

TEST(ClickResidualsTest, ScoresAreTheMeanRanksOfOtherImpressions) {
  EXPECT_THAT(mean_rank_scores(two_sessions(), all), ElementsAre(-2, IsNan(), IsNan(), 0));
  EXPECT_THAT(mean_rank_scores(two_sessions(), {.sessions = {1}}), ElementsAre(IsNan(), 0));
}

TEST(ClickResidualsTest, AreClicksLessPredictions) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto residuals = click_residuals(
      two_sessions(), all, {.model = "", .clicks = {0.25, none, 0.5, 0.125}}, {1, 2, 3, 4});
  ASSERT_EQ(residuals.size(), 3u) << "one is not predicted";
  EXPECT_EQ(residuals[0].residual, 1 - 0.25);
  EXPECT_EQ(residuals[0].rank, 0u);
  EXPECT_EQ(residuals[2].residual, 0 - 0.125);
  EXPECT_EQ(residuals[2].rank, 2u);
  EXPECT_EQ(residuals[2].policy_score, 4);
  EXPECT_EQ(residuals[2].group, 7u);
}

TEST(ClickResidualsTest, UseClickRatesIfTheLogHasThem) {
  Dataset dataset;
  dataset.dictionary.add(7, 1);
  dataset.train.add({.rows = std::vector<std::uint32_t>{1},
                     .positions = std::vector<std::uint16_t>{0},
                     .clicks = std::vector<std::uint8_t>{0},
                     .query = 7,
                     .propensities = {},
                     .targets = std::vector<float>{0.75f}});
  const auto residuals =
      click_residuals(dataset, {.sessions = {0}}, {.model = "", .clicks = {0.5}}, {});
  EXPECT_EQ(residuals.at(0).residual, 0.25);
  EXPECT_TRUE(std::isnan(residuals.at(0).policy_score));
}

}  // namespace
}  // namespace ultr::click_residuals_test
