#include "losses/logged_order.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "dsl/programs/model_check.h"
#include "models/model_fixture.h"

namespace ultr::logged_order_test {
namespace {

TrainableModel build(std::int64_t rows) {
  const std::vector<OptionType> no_models;
  return ModelOptions(model_type<LoggedOrderLoss>("logged_order", ""), no_models)
      .build({.rows = rows, .positions = 4});
}

double loss(const TrainableModel& model, const SessionLog& log) {
  return ClickPrograms(model, ProgramKind::loss, Precision::float64)
      .run(testing::pack_all(log))
      .loss();
}

/// Two documents at the first and the last of four positions.
SessionLog two_documents(std::array<std::uint8_t, 2> clicks) {
  SessionLog log;
  log.add({.rows = std::array{1u, 2u},
           .positions = std::array<std::uint16_t, 2>{0, 3},
           .clicks = clicks});
  return log;
}

TEST(LoggedOrderLossTest, IsTheCrossEntropyWithReciprocalPositions) {
  const TrainableModel model = build(3);
  testing::parameter_called(model, "relevance").assign(std::array{0.f, -0.5f, 1.f});
  const double share = 1 / (1 + std::exp(1. / 4 - 1)), p = 1 / (1 + std::exp(1.5));
  const double expected = -share * std::log(p) - (1 - share) * std::log(1 - p);
  EXPECT_NEAR(loss(model, two_documents({0, 0})), expected, 1e-6);
  EXPECT_NEAR(loss(model, two_documents({0, 1})), expected, 1e-6) << "clicks do not matter";
  EXPECT_FALSE(model.story().predicts_clicks());
}

TEST(LoggedOrderLossTest, GradientsAgreeWithFiniteDifferences) {
  const TrainableModel model = build(9);
  testing::randomise(model, -1, 1, 3);
  SessionLog log;
  log.add({.rows = std::array{1u, 5u, 2u, 8u},
           .positions = std::array<std::uint16_t, 4>{0, 1, 2, 3},
           .clicks = std::array<std::uint8_t, 4>{}});
  log.add({.rows = std::array{3u, 4u},
           .positions = std::array<std::uint16_t, 2>{1, 2},
           .clicks = std::array<std::uint8_t, 2>{}});
  const GradientReport report = check_model_gradient(model, testing::pack_all(log));
  EXPECT_GT(report.entries, 0u);
  EXPECT_LE(report.worst.error, 1e-8) << report.to_string();
}

}  // namespace
}  // namespace ultr::logged_order_test
