#include "training/evaluation.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/log/parallel_shards.h"
#include "testing/small_log.h"

namespace ultr::evaluation_test {
namespace {

using testing::build_model;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::parameter_called;

constexpr double float_error = 1e-6;

float logit(double p) { return static_cast<float>(std::log(p / (1 - p))); }

/// Sets rows 1, 2 and 3 to these probabilities, row 0 to `unknown`.
void set_rows(const TrainableModel& model, const std::string& name,
              const std::vector<double>& probabilities) {
  parameter_called(model, name + ".baseline").fill(0);
  Parameter& rows = parameter_called(model, name);
  for (std::size_t i = 0; i < probabilities.size(); ++i)
    rows.value(static_cast<std::int64_t>(i)) = logit(probabilities[i]);
}

/// Returns a PBM with θ = 0.9, 0.4, 0.5 and γ = 0.5, 0.3, 0.6.
TrainableModel known_pbm() {
  TrainableModel model = build_model("pbm", {.rows = 3, .positions = 3});
  Parameter& examination = parameter_called(model, "examination");
  examination.value(0) = logit(0.9);
  examination.value(1) = logit(0.4);
  set_rows(model, "attraction", {0.5, 0.3, 0.6});
  return model;
}

/// Returns two sessions: rows 1 and 2 with a click on the first, and row 2 alone, displayed at
/// position 2 and clicked.
SessionLog two_sessions() {
  SessionLog log;
  log.add(
      {std::array{1u, 2u}, std::array<std::uint16_t, 2>{0, 1}, std::array<std::uint8_t, 2>{1, 0}});
  log.add({std::array{2u}, std::array<std::uint16_t, 1>{1}, std::array<std::uint8_t, 1>{1}});
  return log;
}

TEST(EvaluationTest, PbmOnATinyLog) {
  const TrainableModel model = known_pbm();
  const double a = std::log(0.9 * 0.3), b = std::log(1 - 0.4 * 0.6), c = std::log(0.4 * 0.6);
  for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
    const ClickEvaluation e = evaluate_clicks(model, two_sessions(), mean, 1);
    EXPECT_EQ(e.sessions, 2u);
    EXPECT_EQ(e.conditional.documents(), 3u);
    EXPECT_EQ(e.impossible_clicks, 0u);
    EXPECT_NEAR(e.conditional.log_likelihood(), (a + b + c) / 3, float_error);
    EXPECT_NEAR(e.conditional.perplexity(), std::exp(-(a + b + c) / 3), float_error);
    EXPECT_NEAR(e.unconditional.perplexity(), std::exp(-(a + b + c) / 3), float_error);
    EXPECT_NEAR(e.unconditional.perplexity_rank_mean(), (std::exp(-a) + std::exp(-(b + c) / 2)) / 2,
                float_error);
    EXPECT_THAT(e.conditional.click_rate_per_rank(), ElementsAre(1 / 1., 1 / 2.));
    EXPECT_THAT(e.examination,
                ElementsAre(DoubleNear(0.9, float_error), DoubleNear(0.4, float_error)));
    EXPECT_NEAR(e.loss, mean == LossMean::documents ? -(a + b + c) / 3 : -((a + b) / 2 + c) / 2,
                float_error);
  }
}

TEST(EvaluationTest, CalibrationIsOfConditionalPredictions) {
  const ClickEvaluation e = evaluate_clicks(known_pbm(), two_sessions(), LossMean::documents, 1);
  double documents = 0, clicks = 0, predicted = 0;
  for (const CalibrationBin& bin : e.calibration.bins()) {
    if (bin.documents == 0) continue;
    documents += static_cast<double>(bin.documents);
    clicks += bin.click_rate * static_cast<double>(bin.documents);
    predicted += bin.mean_prediction * static_cast<double>(bin.documents);
  }
  EXPECT_EQ(documents, 3);
  EXPECT_EQ(clicks, 2);
  EXPECT_NEAR(predicted, 0.9 * 0.3 + 0.4 * 0.6 + 0.4 * 0.6, float_error);
}

TEST(EvaluationTest, ConditionalPredictionsKnowTheClicksAboveUnconditionalOnesDoNot) {
  const TrainableModel model = build_model("dbn", {.rows = 3, .positions = 2});
  parameter_called(model, "continuation").fill(logit(0.8));
  set_rows(model, "attraction", {0.5, 0.3, 0.6});
  set_rows(model, "satisfaction", {0.5, 0.7, 0.2});
  SessionLog log;
  log.add(
      {std::array{1u, 2u}, std::array<std::uint16_t, 2>{0, 1}, std::array<std::uint8_t, 2>{1, 1}});
  const ClickEvaluation e = evaluate_clicks(model, log, LossMean::documents, 1);
  EXPECT_THAT(
      e.conditional.perplexity_per_rank(),
      ElementsAre(DoubleNear(1 / 0.3, 1e-5), DoubleNear(1 / (0.8 * (1 - 0.7) * 0.6), 1e-5)));
  EXPECT_THAT(
      e.unconditional.perplexity_per_rank(),
      ElementsAre(DoubleNear(1 / 0.3, 1e-5), DoubleNear(1 / (0.8 * (1 - 0.3 * 0.7) * 0.6), 1e-5)));
  EXPECT_THAT(e.examination, ElementsAre(DoubleNear(1, float_error),
                                         DoubleNear(0.8 * (1 - 0.3 * 0.7), float_error)));
}

TEST(EvaluationTest, ImpossibleClicksScoreMinLogProbAndAreCounted) {
  const TrainableModel model = build_model("cm", {.rows = 3, .positions = 3});
  set_rows(model, "attraction", {0.5, 0.3, 0.6});
  SessionLog log;
  log.add({std::array{1u, 2u, 0u}, std::array<std::uint16_t, 3>{0, 1, 2},
           std::array<std::uint8_t, 3>{1, 1, 0}});
  const ClickEvaluation e = evaluate_clicks(model, log, LossMean::documents, 1);
  EXPECT_EQ(e.impossible_clicks, 1u);
  EXPECT_NEAR(e.conditional.log_likelihood(), (std::log(0.3) + std::log(1e-8) + std::log(1)) / 3,
              float_error);
  EXPECT_NEAR(e.loss, -(std::log(0.3) + std::log(1e-8)) / 3, float_error);
  EXPECT_NEAR(evaluate_loss(model, log, LossMean::documents, 1), e.loss, float_error);
}

/// Tests of every registered model.
class EvaluationOfModelTest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, EvaluationOfModelTest, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const ModelType& type : model_types()) names.push_back(type.name);
                           return names;
                         }()),
                         [](const auto& test) { return test.param; });

TEST_P(EvaluationOfModelTest, DoesNotDependOnThreads) {
  const ExperimentData data = testing::small_simulation();
  const TrainableModel model = testing::model_for(GetParam(), data.dataset);
  const SessionLog& log = data.dataset.train;
  const ClickEvaluation one = evaluate_clicks(model, log, LossMean::documents, 1);
  const double loss = evaluate_loss(model, log, LossMean::documents, 1);
  for (const int threads : {2, 3, 5}) {
    const ClickEvaluation more = evaluate_clicks(model, log, LossMean::documents, threads);
    EXPECT_EQ(more.loss, one.loss);
    EXPECT_EQ(more.conditional.log_likelihood(), one.conditional.log_likelihood());
    EXPECT_EQ(more.unconditional.perplexity_per_rank(), one.unconditional.perplexity_per_rank());
    EXPECT_EQ(more.examination, one.examination);
    EXPECT_EQ(more.impossible_clicks, one.impossible_clicks);
    for (std::size_t bin = 0; bin < one.calibration.bins().size(); ++bin)
      EXPECT_EQ(more.calibration.bins()[bin].documents, one.calibration.bins()[bin].documents);
    EXPECT_EQ(evaluate_loss(model, log, LossMean::documents, threads), loss);
  }
}

TEST_P(EvaluationOfModelTest, LikelihoodsAloneAreThoseOfAWholeEvaluation) {
  const ExperimentData data = testing::small_simulation();
  const TrainableModel model = testing::model_for(GetParam(), data.dataset);
  const SessionLog& log = data.dataset.valid;
  const ClickEvaluation all = evaluate_clicks(model, log, LossMean::documents, 1);
  const ClickEvaluation some =
      evaluate_clicks(model, log, LossMean::documents, 1, {}, EvaluatedParts::likelihoods);
  EXPECT_EQ(some.loss, all.loss);
  EXPECT_EQ(some.conditional.sums(), all.conditional.sums());
  EXPECT_EQ(some.unconditional.sums(), all.unconditional.sums());
  EXPECT_FALSE(all.examination.empty());
  EXPECT_THAT(some.examination, ::testing::IsEmpty());
  EXPECT_THAT(some.calibration.sums(), ::testing::Each(0));
}

TEST_P(EvaluationOfModelTest, LikelihoodsOfSessionsAreThoseOfTheirDocuments) {
  const ExperimentData data = testing::small_simulation();
  const TrainableModel model = testing::model_for(GetParam(), data.dataset);
  const SessionLog& log = data.dataset.valid;
  std::vector<SessionLikelihood> each(log.sessions());
  const ClickEvaluation e = evaluate_clicks(model, log, LossMean::documents, 1, each);
  SessionLikelihood sum;
  for (const SessionLikelihood& session : each) {
    sum.conditional += session.conditional;
    sum.unconditional += session.unconditional;
  }
  const double documents = static_cast<double>(log.documents());
  EXPECT_NEAR(sum.conditional / documents, e.conditional.log_likelihood(), 1e-12);
  EXPECT_NEAR(sum.unconditional / documents, e.unconditional.log_likelihood(), 1e-12);
}

TEST_P(EvaluationOfModelTest, LossIsTheOneOfTraining) {
  const ExperimentData data = testing::small_simulation();
  const TrainableModel model = testing::model_for(GetParam(), data.dataset);
  for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
    const ClickEvaluation e = evaluate_clicks(model, data.dataset.test, mean, 1);
    EXPECT_NEAR(e.loss, evaluate_loss(model, data.dataset.test, mean, 1), 1e-5 * e.loss);
    EXPECT_NEAR(e.loss, -e.conditional.log_likelihood(), 1e-9)
        << "lists are equally long, so both means are the same";
  }
}

/// Early stopping compares this loss.
TEST(EvaluationTest, WeightsOfDocumentsCountInTheLoss) {
  const SessionLog train = testing::uneven_lists(1), log = testing::uneven_lists(2);
  const Choice type(testing::registry().losses(), "logging_policy_weights");
  const TrainableModel model = type.as<ModelOptions>().build(
      {.rows = 9, .positions = 6, .train = &train, .held_out = {&log}});
  const ClickEvaluation e = evaluate_clicks(model, log, LossMean::documents, 1);
  EXPECT_EQ(e.loss, evaluate_loss(model, log, LossMean::documents, 1));
  EXPECT_GT(e.loss, -1.5 * e.conditional.log_likelihood()) << "documents are weighted";
}

}  // namespace
}  // namespace ultr::evaluation_test
