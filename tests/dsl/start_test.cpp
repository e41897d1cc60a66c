#include "dsl/start.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "models/model_fixture.h"

namespace ultr::start_test {
namespace {

/// Returns 200 lists of five documents, with the given number of clicks.
SessionLog log_with_clicks(int clicks) {
  SessionLog log;
  const std::vector<std::uint16_t> positions = {0, 1, 2, 3, 4};
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint32_t> list;
    std::vector<std::uint8_t> clicked;
    for (int k = 0; k < 5; ++k) {
      list.push_back(static_cast<std::uint32_t>(1 + (i + k) % 8));
      clicked.push_back((i * 5 + k) * 7 % 1000 < clicks ? 1 : 0);
    }
    log.add({list, positions, clicked});
  }
  return log;
}

TrainableModel build(const std::string& type, const std::string& options = "{}") {
  return testing::build_model(type, {.rows = 9, .positions = 5}, options);
}

double predicted_click_rate(const TrainableModel& model, const SessionLog& log) {
  ClickPrograms programs(model, ProgramKind::unconditional, Precision::float64);
  double sum = 0;
  for (const double log_p : programs.run(testing::pack_all(log)).log_p()) sum += std::exp(log_p);
  return sum / static_cast<double>(log.documents());
}

/// Returns the largest click rate that a model can predict for lists of five documents. Users of
/// the cascade model click once.
double largest_rate(const ModelType& type) { return type.name == "cm" ? 1 / 5.0 : 1; }

class EveryModelStartTest : public ::testing::TestWithParam<ModelType> {};

TEST_P(EveryModelStartTest, TheUntrainedModelPredictsTheClickRate) {
  for (const int clicks : {10, 300, 900}) {
    const SessionLog log = log_with_clicks(clicks);
    ASSERT_EQ(log.click_rate(), clicks / 1000.0);
    const TrainableModel model = build(GetParam().name);
    const double predicted = start_at_click_rate(model, log);
    EXPECT_NEAR(predicted, std::min(log.click_rate(), largest_rate(GetParam())), 1e-5);
    EXPECT_NEAR(predicted_click_rate(model, log), predicted, 1e-6) << "it says what it predicts";
  }
}

TEST_P(EveryModelStartTest, LogsWithoutClicksOrWithClicksOnlyHaveAFiniteStart) {
  for (const int clicks : {0, 1000}) {
    const TrainableModel model = build(GetParam().name);
    const double predicted = start_at_click_rate(model, log_with_clicks(clicks));
    const double rate = clicks == 0 ? 0.5 / 1000 : 1 - 0.5 / 1000;
    EXPECT_NEAR(predicted, std::min(rate, largest_rate(GetParam())), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelStartTest, ::testing::ValuesIn(model_types()),
                         [](const auto& test) { return test.param.name; });

TEST(StartTest, ParametersWithAGivenStartDoNotMove) {
  const TrainableModel model = build("pbm", "{attraction: {type: embedding, start: 0.4}}");
  const auto offsets = testing::parameter_called(model, "attraction").values();
  const double predicted = start_at_click_rate(model, log_with_clicks(100));
  EXPECT_NEAR(predicted, 0.1, 1e-5);
  EXPECT_EQ(testing::parameter_called(model, "attraction.baseline").value(0),
            static_cast<float>(std::log(0.4 / 0.6)));
  EXPECT_EQ(testing::parameter_called(model, "attraction").values(), offsets);
  // θ γ = 0.1 with γ near 0.4
  for (std::size_t rank = 0; rank < 5; ++rank)
    EXPECT_NEAR(testing::probability_of(model, "examination", rank), 0.1 / 0.4, 0.01);
}

TEST(StartTest, DoesNothingIfAllStartsAreGiven) {
  const TrainableModel model =
      build("pbm", "{attraction: {type: embedding, start: 0.4}, examination: {start: 0.3}}");
  std::vector<std::vector<float>> before, after;
  for (const Parameter* parameter : model.parameters()) before.push_back(parameter->values());
  const double predicted = start_at_click_rate(model, log_with_clicks(500));
  for (const Parameter* parameter : model.parameters()) after.push_back(parameter->values());
  EXPECT_EQ(after, before);
  EXPECT_NEAR(predicted, 0.4 * 0.3, 0.01);
}

TEST(StartTest, ApproachesTheClickRateAsFarAsGivenStartsAllow) {
  const TrainableModel model = build("pbm", "{attraction: {type: embedding, start: 0.2}}");
  EXPECT_NEAR(start_at_click_rate(model, log_with_clicks(900)), 0.2, 0.01);
}

TEST(StartTest, ParametersThatLowerClicksMoveTheOtherWay) {
  const TrainableModel model = build("dbn");
  start_at_click_rate(model, log_with_clicks(10));
  const float attraction = testing::parameter_called(model, "attraction.baseline").value(0);
  EXPECT_LT(attraction, -1);
  EXPECT_NEAR(testing::parameter_called(model, "satisfaction.baseline").value(0), -attraction,
              1e-5);
  EXPECT_NEAR(testing::parameter_called(model, "continuation").value(0), attraction, 1e-5);
}

}  // namespace
}  // namespace ultr::start_test
