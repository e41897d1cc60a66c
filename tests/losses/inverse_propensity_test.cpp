#include "losses/inverse_propensity.h"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"
#include "options/config_tree.h"
#include "testing/temporary_folder.h"

namespace ultr::inverse_propensity_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

SessionLog one_list(const std::vector<std::uint8_t>& clicks,
                    const std::vector<std::uint16_t>& shown_at = {0, 1, 2}) {
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2, 3}, shown_at, clicks});
  return log;
}

class InversePropensityTest : public ::testing::Test {
 protected:
  /// Builds `ips` with the given rows of a propensity file.
  TrainableModel ips(const std::string& options, const std::string& rows) {
    const auto file = folder_.write("bias.csv", "position,examination\n" + rows);
    TrainableModel model = testing::build_loss("ips", {.rows = 4, .positions = 5},
                                               "{propensities: " + file.string() + options + "}");
    for (Parameter* parameter : model.parameters()) parameter->fill(0);
    Parameter& relevance = testing::parameter_called(model, "relevance");
    for (std::size_t i = 0; i < 3; ++i)
      relevance.value(static_cast<std::int64_t>(i) + 1) = static_cast<float>(scores_[i]);
    return model;
  }
  double loss(const TrainableModel& model, const SessionLog& log) {
    ClickPrograms programs(model, ProgramKind::loss, Precision::float64);
    return programs.run(testing::pack_all(log)).loss();
  }
  double log_softmax(std::size_t i) const {
    double sum = 0;
    for (const double x : scores_) sum += std::exp(x);
    return scores_[i] - std::log(sum);
  }

  const std::array<double, 3> scores_ = {0.5, -1, 2};
  testing::TemporaryFolder folder_;
};

TEST_F(InversePropensityTest, TheWeightOfASingleClickMatters) {
  // The only click of the list is at position 3, where its weight is 1 / 0.25. If clicks were
  // normalised after they are weighted, the loss would be that of an unweighted click.
  const SessionLog log = one_list({0, 0, 1});
  const std::string rows = "1,1\n2,0.5\n3,0.25\n";
  EXPECT_NEAR(loss(ips("", rows), log), -1 / 0.25 * log_softmax(2), 1e-12);
  EXPECT_NEAR(loss(ips(", weighting: after_normalisation", rows), log), -1 / 0.25 * log_softmax(2),
              1e-12);
  EXPECT_NEAR(loss(ips(", weighting: before_normalisation", rows), log), -log_softmax(2), 1e-12);
}

TEST_F(InversePropensityTest, WeightsMultiplyTheSharesOfClicks) {
  const SessionLog log = one_list({1, 0, 1});
  const std::string rows = "1,0.8\n2,0.5\n3,0.05\n";
  EXPECT_NEAR(loss(ips("", rows), log), -(log_softmax(0) / 2 + 0.8 / 0.1 * log_softmax(2) / 2),
              1e-12);
  EXPECT_NEAR(loss(ips(", clip: 0", rows), log),
              -(log_softmax(0) / 2 + 0.8 / 0.05 * log_softmax(2) / 2), 1e-12);
  const double first = 1 / 0.8, third = 1 / 0.1;
  EXPECT_NEAR(loss(ips(", normalise: false, weighting: before_normalisation", rows), log),
              -(first * log_softmax(0) + third * log_softmax(2)) / (first + third), 1e-12);
}

TEST_F(InversePropensityTest, PointwiseTargetsAreWeightedClicks) {
  const auto bce = [&](std::size_t i, double target) {
    return target * std::log1p(std::exp(-scores_[i])) +
           (1 - target) * std::log1p(std::exp(scores_[i]));
  };
  EXPECT_NEAR(loss(ips(", base: pointwise", "1,1\n2,0.5\n3,0.25\n"), one_list({0, 1, 1})),
              bce(0, 0) + bce(1, 1 / 0.5) + bce(2, 1 / 0.25), 1e-12);
}

TEST_F(InversePropensityTest, WeightsAreThoseOfDisplayedPositions) {
  const std::string rows = "1,1\n2,0.5\n3,0.25\n5,0.2\n";
  EXPECT_NEAR(loss(ips("", rows), one_list({0, 0, 1}, {0, 2, 4})), -1 / 0.2 * log_softmax(2),
              1e-12);
}

TEST_F(InversePropensityTest, PredictsClicksWhereWeightsAreInverseProbabilities) {
  const TrainableModel model = ips(", base: pointwise", "1,0.5\n2,0.25\n3,0.125\n4,0.1\n5,0.1\n");
  ASSERT_TRUE(model.story().predicts_clicks());
  ClickPrograms programs(model, ProgramKind::unconditional, Precision::float64);
  const std::vector<double> log_p = programs.run(testing::pack_all(one_list({0, 0, 0}))).log_p();
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(std::exp(log_p[i]), std::pow(0.5, i) / (1 + std::exp(-scores_[i])), 1e-12);

  const std::string rows = "1,0.5\n2,0.6\n3,0.25\n4,0.1\n5,0.1\n";
  EXPECT_FALSE(ips(", base: pointwise", rows).story().predicts_clicks());  // 0.5 / 0.6 < 1
  EXPECT_TRUE(ips(", base: pointwise, normalise: false", rows).story().predicts_clicks());
  EXPECT_FALSE(ips(", base: softmax, normalise: false", rows).story().predicts_clicks());
}

TEST_F(InversePropensityTest, RefusesPropensitiesThatTheDataNeed) {
  const SessionLog log = one_list({0, 0, 1}, {0, 2, 4});
  // Neither position 4 nor position 2 is shown.
  EXPECT_NO_THROW(ips(", clip: 0", "1,1\n2,0\n3,0.5\n4,\n5,0.1\n").story().check(log));
  const std::string zero = "1,1\n2,0.5\n3,0\n5,0.1\n";
  EXPECT_THAT([&] { ips(", clip: 0", zero).story().check(log); },
              ThrowsMessage<DataError>(HasSubstr("no usable propensity for position 3")));
  EXPECT_NO_THROW(ips("", zero).story().check(log));
}

/// A position without a propensity would get the largest weight of all.
TEST_F(InversePropensityTest, RefusesAFileThatCoversAPartOfThePositions) {
  for (const std::string options : {"", ", clip: 0", ", base: pointwise"})
    for (const std::string rows : {"1,1\n2,0.5\n", "1,1\n2,0.5\n3,\n4,\n5,\n"})
      EXPECT_THAT(
          [&] {
            ips(options, rows).story().check(one_list({0, 0, 1}, {0, 2, 4}));
          },
          ThrowsMessage<DataError>(
              HasSubstr("bias.csv: has propensities for 1 of the 3 positions that the data show, "
                        "and none for "
                        "3, 5; expected one for each, or 0 for those that clip should decide")));
}

TEST_F(InversePropensityTest, NeedsAFile) {
  EXPECT_THAT([] { testing::build_loss("ips", {.rows = 4, .positions = 5}); },
              ThrowsMessage<ConfigError>(HasSubstr("propensities is missing")));
  EXPECT_THROW(testing::build_loss("ips", {.rows = 4, .positions = 5}, "{propensities: none.csv}"),
               DataError);
}

}  // namespace
}  // namespace ultr::inverse_propensity_test
