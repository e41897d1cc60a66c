#include "metrics/bias/regression_em.h"

#include <cmath>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/learned_position_bias.h"
#include "metrics/logged_clicks.h"
#include "models/model_fixture.h"
#include "optim/coins.h"
#include "testing/small_log.h"
#include "training/fitters.h"

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
  const SessionLog log = log_of(shown);
  return regression_em(log, Interventions(log).sums(), options, {});
}

TEST(RegressionEmTest, FindsTheExaminationThatFitsExactly) {
  // Click rates are θ_k γ_d with θ = 1, 1/2, 1/4 and γ = 1/2, 1/4.
  const RegressionEm em =
      fitted({{1, 1, 40, 40}, {1, 2, 20, 60}, {1, 3, 10, 70}, {2, 1, 20, 60}, {2, 3, 5, 75}},
             {.most_passes = 20000, .settled_change = 0});
  EXPECT_THAT(em.propensities, ElementsAre(1, DoubleNear(1. / 2, 1e-5), DoubleNear(1. / 4, 1e-5)));
}

TEST(RegressionEmTest, IsEmOfThePositionBasedModel) {
  const Dataset dataset = std::move(testing::small_simulation().dataset);
  const TrainableModel model =
      testing::build_model("pbm", {.rows = dataset.dictionary.rows(),
                                   .positions = static_cast<std::int64_t>(dataset.positions)});
  const double start = std::sqrt(dataset.train.click_rate());
  for (const TrainableModel::Layer& layer : model.layers()) {
    const EntryLogits logits = *layer.layer->entry_logits();
    const float baseline = logits.baseline == nullptr ? 0 : logits.baseline->value(0);
    for (std::int64_t i = 0; i < logits.values->rows(); ++i)
      logits.values->value(i) = static_cast<float>(std::log(start / (1 - start))) - baseline;
  }
  TrainOptions train;
  const auto fitter = make_fitter(
      EmOptions(),
      {.model = model, .train = dataset.train, .options = train, .seed = 1, .threads = 1});
  constexpr std::int64_t passes = 12;
  for (std::int64_t pass = 1; pass <= passes; ++pass) fitter->pass(pass, [](std::size_t) {});
  const std::optional<PositionBias> expected = learned_position_bias(model);
  ASSERT_TRUE(expected);
  const Propensities propensities =
      regression_em(dataset.train, Interventions(dataset.train).sums(), {.most_passes = passes}, {})
          .propensities;
  ASSERT_EQ(propensities.size(), expected->by_rank.size());
  for (std::size_t k = 0; k < propensities.size(); ++k)
    EXPECT_NEAR(propensities[k], expected->by_rank[k], 1e-5) << k;  // of float32
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

TEST(RegressionEmTest, EndsAfterTheMostPassesAndReportsThem) {
  const SessionLog log = std::move(testing::small_simulation().dataset.train);
  std::vector<std::int64_t> seen;
  const RegressionEm em = regression_em(log, Interventions(log).sums(), {.most_passes = 3},
                                        [&](std::int64_t passes) { seen.push_back(passes); });
  EXPECT_EQ(em.passes, 3);
  EXPECT_FALSE(em.settled);
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST(RegressionEmTest, AnyNumberOfThreadsGivesTheSameNumbers) {
  const SessionLog log = std::move(testing::small_simulation().dataset.train);
  const auto with = [&](int threads) {
    return regression_em(log, Interventions(log).sums(), {.most_passes = 20, .threads = threads},
                         {})
        .propensities;
  };
  EXPECT_EQ(with(1), with(3));
}

}  // namespace
}  // namespace ultr::regression_em_test
