#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/bias_estimation.h"
#include "metrics/bias/position_bias.h"
#include "runs/run_inputs.h"
#include "testing/errors.h"
#include "testing/small_log.h"

namespace ultr::propensity_estimation_test {
namespace {

using testing::config_message;
using ::testing::IsEmpty;

class PropensityEstimationTest : public ::testing::Test {
 protected:
  ExperimentOptions options(const std::string& loss) const {
    ExperimentOptions options(testing::registry());
    testing::configure(options, "{threads: 1, loss: " + loss + "}");
    return options;
  }

  ExperimentData data_ = testing::small_simulation();
};

TEST_F(PropensityEstimationTest, NoEstimatorEstimatesNothing) {
  EXPECT_THAT(estimate_propensities(options("{type: ips}"), data_.dataset), IsEmpty());
  EXPECT_THAT(estimate_propensities(options("likelihood"), data_.dataset), IsEmpty());
}

/// Every estimator there is gives what estimate-bias says.
TEST_F(PropensityEstimationTest, EstimatesAreThoseOfBiasEstimation) {
  for (const std::string& estimator : propensity_estimators()) {
    const Propensities estimated =
        estimate_propensities(options("{type: ips, estimator: " + estimator + "}"), data_.dataset);
    const BiasEstimation expected =
        estimate_bias(data_.dataset, {.methods = {estimator}, .resamples = 0}, nullptr);
    EXPECT_EQ(estimated, expected.estimates.front().propensities) << estimator;
  }
}

TEST_F(PropensityEstimationTest, HarvestsClickRates) {
  SessionLog rates;
  // One document at two positions, clicked half as often at the second.
  rates.add({.rows = std::vector<std::uint32_t>{1, 2},
             .positions = std::vector<std::uint16_t>{0, 1},
             .clicks = std::vector<std::uint8_t>{0, 0},
             .targets = std::vector<float>{0.75f, 0.125f}});
  rates.add({.rows = std::vector<std::uint32_t>{2, 1},
             .positions = std::vector<std::uint16_t>{0, 1},
             .clicks = std::vector<std::uint8_t>{0, 0},
             .targets = std::vector<float>{0.25f, 0.375f}});
  data_.dataset.train = rates;
  EXPECT_EQ(estimate_propensities(options("{type: ips, estimator: pivot}"), data_.dataset),
            (Propensities{1, 0.5}));
  EXPECT_EQ(config_message([&] {
              estimate_propensities(options("{type: ips, estimator: regression_em}"),
                                    data_.dataset);
            }),
            "loss.estimator: 'regression_em' needs clicks, session by session, and the training "
            "data have labels or click rates; expected another estimator, or clicks");
}

TEST_F(PropensityEstimationTest, RefusesLabels) {
  SessionLog labels;
  labels.add({.rows = std::vector<std::uint32_t>{1},
              .positions = std::vector<std::uint16_t>{0},
              .clicks = std::vector<std::uint8_t>{0},
              .targets = std::vector<float>{3}});
  data_.dataset.train = labels;
  EXPECT_EQ(config_message([&] {
              estimate_propensities(options("{type: ips, estimator: ctr}"), data_.dataset);
            }),
            "loss.estimator: 'ctr' needs clicks or their rates, and the training data have a "
            "target of 3; expected at most 1");
}

TEST_F(PropensityEstimationTest, RefusesBothAFileAndAnEstimator) {
  EXPECT_EQ(config_message([&] {
              build_model(options("{type: ips, estimator: ctr, propensities: here.csv}"),
                          data_.dataset);
            }),
            "loss: propensities are given by here.csv and estimator is ctr; expected one of them");
}

/// Estimates above 1 are relative, and a probability is not above 1.
TEST_F(PropensityEstimationTest, PbmDividesEstimatesByTheLargest) {
  const TrainableModel model =
      options("{type: pbm, estimator: ctr}")
          .trained()
          .build({.rows = 2, .positions = 2, .estimated_propensities = {1, 1.25}});
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 1}, std::vector<std::uint16_t>{0, 1},
           std::vector<std::uint8_t>{0, 0}});
  model.story().check(log);
  ClickPrograms examined(model, ProgramKind::examination, Precision::float64);
  const std::vector<double> log_p = examined.run(testing::pack_all(log)).log_p();
  EXPECT_NEAR(std::exp(log_p[0]), 1 / 1.25, 1e-12);
  EXPECT_NEAR(std::exp(log_p[1]), 1, 1e-12);
}

}  // namespace
}  // namespace ultr::propensity_estimation_test
