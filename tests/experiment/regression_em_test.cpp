#include "experiment/regression_em.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/logged_clicks.h"
#include "testing/small_log.h"

namespace ultr::regression_em_test {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsNan;
using testing::log_of;
using testing::LoggedClicks;

RegressionEm fitted(const std::vector<LoggedClicks>& shown,
                    const RegressionEmOptions& options = {}) {
  Dataset dataset;
  dataset.train = log_of(shown);
  for (std::uint64_t row = 1; row < 10; ++row) dataset.dictionary.add(1, row);
  dataset.positions = dataset.train.positions();
  return regression_em(dataset, options, {});
}

TEST(RegressionEmTest, FindsTheExaminationThatFitsExactly) {
  // Click rates are θ_k γ_d with θ = 1, 1/2, 1/4 and γ = 1/2, 1/4.
  const RegressionEm em =
      fitted({{1, 1, 40, 40}, {1, 2, 20, 60}, {1, 3, 10, 70}, {2, 1, 20, 60}, {2, 3, 5, 75}},
             {.most_passes = 20000, .settled_change = 0});
  EXPECT_THAT(em.propensities, ElementsAre(1, DoubleNear(1. / 2, 1e-5), DoubleNear(1. / 4, 1e-5)));
}

TEST(RegressionEmTest, EndsWhenExaminationHasSettled) {
  const std::vector<LoggedClicks> shown = {{1, 1, 40, 40}, {1, 2, 20, 60}};
  const RegressionEm em = fitted(shown), longer = fitted(shown, {.settled_change = 1e-6});
  EXPECT_TRUE(em.settled);
  EXPECT_LT(em.passes, longer.passes);
  EXPECT_NEAR(longer.propensities[1], 1. / 2, 1e-3);
}

TEST(RegressionEmTest, IsUnknownWhereNothingLinksToTheFirstRank) {
  EXPECT_THAT(fitted({{1, 1, 4, 4}, {1, 2, 2, 6}, {2, 3, 4, 4}, {2, 4, 2, 6}}).propensities,
              ElementsAre(1, DoubleNear(1. / 2, 1e-2), IsNan(), IsNan()));
  EXPECT_THAT(fitted({{1, 1, 4, 4}, {2, 2, 2, 6}}).propensities, Each(IsNan()));
  EXPECT_THAT(fitted({{1, 1, 0, 4}, {1, 2, 2, 6}}).propensities, Each(IsNan()))
      << "a first rank without clicks";
}

TEST(RegressionEmTest, RanksWithoutClicksAreZero) {
  EXPECT_THAT(fitted({{1, 1, 4, 4}, {1, 2, 0, 6}}).propensities, ElementsAre(1, 0));
}

TEST(RegressionEmTest, EndsAfterTheMostPassesAndReportsSessions) {
  const Dataset dataset = std::move(testing::small_simulation().dataset);
  std::uint64_t seen = 0;
  const RegressionEm em =
      regression_em(dataset, {.most_passes = 3}, [&](std::uint64_t sessions) { seen = sessions; });
  EXPECT_EQ(em.passes, 3);
  EXPECT_FALSE(em.settled);
  EXPECT_EQ(seen, 3 * dataset.train.sessions());
}

TEST(RegressionEmTest, AnyNumberOfThreadsGivesTheSameNumbers) {
  const Dataset dataset = std::move(testing::small_simulation().dataset);
  const auto with = [&](int threads) {
    return regression_em(dataset, {.most_passes = 20, .threads = threads}, {}).propensities;
  };
  EXPECT_EQ(with(1), with(3));
}

}  // namespace
}  // namespace ultr::regression_em_test
