#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/log/parallel_shards.h"
#include "losses/losses.h"
#include "optim/optim.h"
#include "testing/small_log.h"
#include "training/evaluation.h"
#include "training/fitters.h"
#include "training/intervals/likelihood_intervals.h"

namespace ultr::weighted_sessions_test {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

/// Returns a log with weights 1, 2 and 3 in turn, times `factor`.
SessionLog weighted(const SessionLog& log, double factor = 1) {
  SessionLog result;
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    SessionView session = log[i];
    session.weight = factor * static_cast<double>(1 + i % 3);
    result.add(session);
  }
  return result;
}

/// Simulated sessions of several lengths, weighted, and each as often as its weight says.
class WeightedSessionsTest : public ::testing::Test {
 protected:
  WeightedSessionsTest() {
    dataset_ =
        testing::simulate("{sessions: 200, queries: 4, candidates: 7, positions: 5}").dataset;
    SessionLog lists;
    for (std::size_t i = 0; i < dataset_.train.sessions(); ++i) {
      SessionView session = dataset_.train[i];
      const std::size_t length = 1 + i % 5;
      session.rows = session.rows.first(length);
      session.positions = session.positions.first(length);
      session.clicks = session.clicks.first(length);
      lists.add(session);
    }
    weighted_ = weighted(with_made_up_signals(lists));
    repeated_ = weighted_.without_weights("");
  }

  /// Returns the values of a model's parameters, in a row, after passes of a fitter.
  static std::vector<double> fitted(const TrainableModel& model, const SessionLog& log,
                                    const std::string& optimizer, const std::string& options,
                                    int passes) {
    const Choice choice(optimizer_types(), optimizer);
    testing::configure(*choice.options, options);
    TrainOptions train;
    train.batch_size = 1024;  // all sessions
    const auto fitter =
        make_fitter(choice.as<FitOptions>(), {.model = model, .train = log, .options = train});
    for (int pass = 1; pass <= passes; ++pass) fitter->pass(pass, {});
    std::vector<double> all;
    for (const auto& values : testing::values_of(model))
      all.insert(all.end(), values.begin(), values.end());
    return all;
  }

  Dataset dataset_;
  SessionLog weighted_, repeated_;
};

TEST_F(WeightedSessionsTest, CountAsOftenInTheLossOfEveryModel) {
  std::vector<ModelType> types = model_types();
  const std::vector<ModelType>& losses = ranking_losses();
  types.insert(types.end(), losses.begin(), losses.end());
  int compared = 0;
  for (const ModelType& type : types) {
    SCOPED_TRACE(type.name);
    std::optional<TrainableModel> model;
    try {
      model.emplace(testing::model_for(type.name, dataset_));
    } catch (const Error&) {
      continue;  // needs more than clicks
    }
    for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
      const double expected = evaluate_loss(*model, repeated_, mean, 1);
      EXPECT_NEAR(evaluate_loss(*model, weighted_, mean, 1), expected, 2e-6 * std::abs(expected));
    }
    ++compared;
  }
  EXPECT_GT(compared, 12);
}

TEST_F(WeightedSessionsTest, CountAsOftenInEveryMeasure) {
  for (const char* type : {"pbm", "ubm", "dbn"}) {
    SCOPED_TRACE(type);
    const TrainableModel model = testing::model_for(type, dataset_);
    for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
      const ClickEvaluation expected = evaluate_clicks(model, repeated_, mean, 1);
      const ClickEvaluation result = evaluate_clicks(model, weighted_, mean, 2);
      EXPECT_EQ(result.sessions, expected.sessions);
      EXPECT_EQ(result.conditional.documents(), expected.conditional.documents());
      const auto values = result.values(), of_repeated = expected.values();
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i].value, of_repeated[i].value, 1e-6) << values[i].name;
      EXPECT_THAT(result.unconditional.perplexity_per_rank(),
                  Pointwise(DoubleNear(1e-6), expected.unconditional.perplexity_per_rank()));
      EXPECT_THAT(result.conditional.click_rate_per_rank(),
                  Pointwise(DoubleNear(1e-12), expected.conditional.click_rate_per_rank()));
      EXPECT_THAT(result.examination, Pointwise(DoubleNear(1e-6), expected.examination));
      const auto bins = result.calibration.bins(), of_bins = expected.calibration.bins();
      for (std::size_t i = 0; i < bins.size(); ++i) {
        EXPECT_EQ(bins[i].documents, of_bins[i].documents) << i;
        if (bins[i].documents == 0) continue;
        EXPECT_NEAR(bins[i].mean_prediction, of_bins[i].mean_prediction, 1e-6);
        EXPECT_NEAR(bins[i].click_rate, of_bins[i].click_rate, 1e-12);
      }
    }
  }
}

TEST_F(WeightedSessionsTest, HaveTheParametersOfRepeatedOnes) {
  const auto expect_same = [&](const char* type, const char* optimizer, const char* options,
                               double tolerance) {
    SCOPED_TRACE(std::string(type) + " by " + optimizer);
    const TrainableModel one = testing::model_for(type, dataset_),
                         other = testing::model_for(type, dataset_);
    EXPECT_THAT(fitted(one, weighted_, optimizer, options, 3),
                Pointwise(DoubleNear(tolerance), fitted(other, repeated_, optimizer, options, 3)));
  };
  for (const char* type : {"pbm", "ubm", "dbn", "ccm"}) {
    expect_same(type, "em", "{}", 1e-4);
    expect_same(type, "sgd", "{lr: 1}", 1e-5);
  }
  for (const char* type : {"gctr", "rctr", "dctr", "drctr"}) expect_same(type, "em", "{}", 1e-4);
  for (const char* type : {"sdbn", "dcm"}) expect_same(type, "counting", "{}", 1e-4);
}

TEST_F(WeightedSessionsTest, GiveTheIntervalsOfRepeatedOnes) {
  for (const char* type : {"pbm", "ubm", "dbn"}) {
    SCOPED_TRACE(type);
    const TrainableModel model = testing::model_for(type, dataset_);
    const LikelihoodIntervals expected = likelihood_intervals(model, repeated_, 1),
                              result = likelihood_intervals(model, weighted_, 1);
    EXPECT_EQ(result.relative_to_first_position, expected.relative_to_first_position);
    for (std::size_t row = 0; row < result.relevance.size(); ++row) {
      EXPECT_NEAR(result.relevance[row].lower, expected.relevance[row].lower, 1e-4) << row;
      EXPECT_NEAR(result.relevance[row].upper, expected.relevance[row].upper, 1e-4) << row;
    }
    for (std::size_t k = 0; k < result.position_bias.size(); ++k)
      EXPECT_NEAR(result.position_bias[k].upper, expected.position_bias[k].upper,
                  1e-4 * expected.position_bias[k].upper);
  }
}

TEST_F(WeightedSessionsTest, NeedNotBeWhole) {
  SessionLog halves;
  for (std::size_t i = 0; i < weighted_.sessions(); ++i) {
    SessionView session = weighted_[i];
    session.weight /= 2;
    halves.add(session);
  }
  const TrainableModel model = testing::model_for("dbn", dataset_);
  const auto values = [&](const SessionLog& log) {
    std::vector<double> all;
    for (const MetricValue& value : evaluate_clicks(model, log, LossMean::documents, 1).values())
      all.push_back(value.value);
    return all;
  };
  EXPECT_THAT(values(halves), Pointwise(DoubleNear(1e-9), values(weighted_)));
  const TrainableModel one = testing::model_for("dbn", dataset_),
                       other = testing::model_for("dbn", dataset_);
  EXPECT_THAT(fitted(one, halves, "sgd", "{lr: 1}", 2),
              Pointwise(DoubleNear(1e-6), fitted(other, weighted_, "sgd", "{lr: 1}", 2)));
}

}  // namespace
}  // namespace ultr::weighted_sessions_test
