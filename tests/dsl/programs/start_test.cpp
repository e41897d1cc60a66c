#include "dsl/programs/start.h"

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
  return with_made_up_signals(log);
}

TrainableModel build(const std::string& type, const std::string& options = "{}") {
  return testing::build_model(type, {.rows = 9, .positions = 5}, options);
}

double predicted_click_rate(const TrainableModel& model, const SessionLog& log) {
  ClickPrograms programs(model, ProgramKind::conditional, Precision::float64);
  double sum = 0;
  for (const double log_p : programs.run(testing::pack_all(log)).log_p()) sum += std::exp(log_p);
  return sum / static_cast<double>(log.documents());
}

/// Documents of a log, and the clicks on them.
struct Counts {
  int documents = 0, clicks = 0;

  /// The click rate; half a click from 0 and 1 in a log of 1,000 documents.
  double rate() const {
    return std::clamp(clicks / static_cast<double>(documents), 0.0005, 1 - 0.0005);
  }
};

/// Counts the documents that can be clicked under a model: up to the first click under the cascade
/// model, else all.
Counts possible(const ModelType& type, const SessionLog& log) {
  Counts counts;
  for (std::size_t i = 0; i < log.sessions(); ++i)
    for (const std::uint8_t click : log[i].clicks) {
      ++counts.documents;
      counts.clicks += click;
      if (type.name == "cm" && click != 0) break;
    }
  return counts;
}

class EveryModelStartTest : public ::testing::TestWithParam<ModelType> {};

TEST_P(EveryModelStartTest, TheUntrainedModelPredictsTheClickRate) {
  for (const int clicks : {0, 10, 300, 900, 1000}) {
    const SessionLog log = log_with_clicks(clicks);
    ASSERT_EQ(log.click_rate(), clicks / 1000.0);
    const TrainableModel model = build(GetParam().name);
    const double predicted = start_at_click_rate(model, log);
    const Counts of = possible(GetParam(), log);
    EXPECT_NEAR(predicted, of.rate() * of.documents / 1000, 1e-5) << clicks;
    EXPECT_NEAR(predicted_click_rate(model, log), predicted, 1e-6) << "it says what it predicts";
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelStartTest, ::testing::ValuesIn(model_types()),
                         [](const auto& test) { return test.param.name; });

/// Users who click two of ten documents have a click rate that no cascade model reaches.
TEST(StartTest, ClicksThatAModelHoldsImpossibleDoNotMoveIt) {
  SessionLog log;
  const std::vector<std::uint32_t> list = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2};
  const std::vector<std::uint16_t> positions = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (int i = 0; i < 100; ++i) log.add({list, positions, {{0, 0, 0, 1, 0, 0, 1, 0, 0, 0}}});
  const TrainableModel model = testing::build_model("cm", {.rows = 9, .positions = 10});
  EXPECT_NEAR(start_at_click_rate(model, log), 0.1, 1e-5);
  // One click on the four documents down to the first.
  EXPECT_NEAR(testing::parameter_called(model, "attraction.baseline").value(0),
              std::log(0.25 / 0.75), 0.02);
}

TEST(StartTest, TargetsTakeThePlaceOfClicks) {
  SessionLog log;
  for (int i = 0; i < 400; ++i)
    log.add({.rows = std::vector<std::uint32_t>{1, 2},
             .positions = std::vector<std::uint16_t>{0, 1},
             .clicks = std::vector<std::uint8_t>{0, 0},
             .targets = std::vector<float>{0.5f, i < 200 ? 0.25f : 0}});
  const TrainableModel model = build("pbm");
  EXPECT_NEAR(start_at_click_rate(model, log), 0.3125, 1e-5);
}

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
