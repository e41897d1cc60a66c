#include "training/training.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optim/adam.h"
#include "optim/sgd.h"
#include "testing/small_log.h"
#include "training/fitters.h"

namespace ultr::training_test {
namespace {

using testing::values_of;
using Values = std::vector<std::vector<float>>;

/// A training run with everything that its observer saw.
struct Training {
  TrainableModel model;
  TrainingResult result;
  std::vector<Values> after_epoch;
  std::vector<std::size_t> steps;  // sessions done
};

struct Setting {
  std::string model = "pbm";
  std::string optimizer = "{lr: 0.05}";
  std::uint64_t seed = 1;
  int threads = 1;
};

Training train(const Dataset& dataset, const std::string& options_yaml,
               const Setting& setting = {}) {
  TrainOptions options;
  testing::configure(options, options_yaml);
  AdamWOptions optimizer;
  testing::configure(optimizer, setting.optimizer);
  Training training{testing::model_for(setting.model, dataset), {}, {}, {}};
  const auto fitter = make_fitter(optimizer, {.model = training.model,
                                              .train = dataset.train,
                                              .options = options,
                                              .seed = setting.seed,
                                              .threads = setting.threads});
  training.result = train_model(
      training.model, *fitter, options, dataset, setting.threads,
      {.step = [&](std::int64_t, std::size_t done) { training.steps.push_back(done); },
       .epoch =
           [&](const EpochResult&) { training.after_epoch.push_back(values_of(training.model)); }});
  return training;
}

/// Returns data in which everything is clicked in training and nothing in validation, or the other
/// way round.
Dataset opposite_data(std::uint8_t clicked_in_training) {
  Dataset dataset = testing::small_simulation().dataset;
  const auto set_clicks = [](SessionLog& log, std::uint8_t clicked) {
    for (std::size_t i = 0; i < log.sessions(); ++i)
      for (std::uint8_t& click : log.clicks(i)) click = clicked;
  };
  set_clicks(dataset.train, clicked_in_training);
  set_clicks(dataset.valid, clicked_in_training == 0 ? 1 : 0);
  return dataset;
}

/// Returns data whose validation loss gets worse with every step.
Dataset misleading_data() { return opposite_data(0); }

Dataset data_without_validation() {
  return testing::simulate("{sessions: 900, queries: 8, candidates: 7, positions: 5}").dataset;
}

TEST(TrainingTest, StopsAfterSoManyEpochsWithoutImprovementAndRestoresTheBest) {
  const Dataset dataset = misleading_data();
  for (const std::int64_t patience : {1, 3}) {
    const Training t =
        train(dataset, "{epochs: 20, early_stopping: " + std::to_string(patience) + "}");
    const TrainingResult& result = t.result;
    ASSERT_EQ(result.best_epoch, 1);
    ASSERT_EQ(result.epochs.size(), static_cast<std::size_t>(1 + patience));
    EXPECT_TRUE(result.epochs[0].best);
    EXPECT_FALSE(result.epochs[1].best);
    EXPECT_NE(t.after_epoch.back(), t.after_epoch[0]);
    EXPECT_EQ(values_of(t.model), t.after_epoch[0]);
    EXPECT_EQ(evaluate_clicks(t.model, dataset.valid, LossMean::documents, 1).loss,
              result.epochs[0].valid->loss());
  }
}

TEST(TrainingTest, WithoutEarlyStoppingAllEpochsRunAndTheBestIsRestored) {
  const Dataset dataset = misleading_data();
  const Training t = train(dataset, "{epochs: 5, early_stopping: 0}");
  EXPECT_EQ(t.result.epochs.size(), 5u);
  EXPECT_EQ(t.result.best_epoch, 1);
  EXPECT_EQ(values_of(t.model), t.after_epoch[0]);
}

TEST(TrainingTest, BestEpochIsTheOneOfTheLowestValidationLoss) {
  const Dataset dataset = testing::small_simulation().dataset;
  const Training t = train(dataset, "{epochs: 40, early_stopping: 2, batch_size: 100}");
  const std::vector<EpochResult>& epochs = t.result.epochs;
  double lowest = HUGE_VAL;
  std::int64_t best = 0;
  for (const EpochResult& epoch : epochs) {
    EXPECT_EQ(epoch.best, epoch.valid->loss() < lowest) << epoch.epoch;
    if (epoch.best) {
      lowest = epoch.valid->loss();
      best = epoch.epoch;
    }
  }
  EXPECT_GT(best, 1) << "the test needs data on which training helps first";
  EXPECT_EQ(t.result.best_epoch, best);
  EXPECT_EQ(epochs.size(), static_cast<std::size_t>(best) + 2);
  EXPECT_EQ(values_of(t.model), t.after_epoch[static_cast<std::size_t>(best) - 1]);
}

/// A fitter whose passes change the parameters as it is told.
class ScriptedFitter final : public Fitter {
 public:
  ScriptedFitter(const TrainableModel& model, std::function<double(std::int64_t epoch)> logits)
      : model_(model), logits_(std::move(logits)) {}
  PassResult pass(std::int64_t epoch, const std::function<void(std::size_t)>&) override {
    const double logit = logits_(epoch);
    done_ = epoch;
    for (Parameter* parameter : model_.parameters()) parameter->fill(static_cast<float>(logit));
    if (std::isnan(logit) && throws_) throw Diverged("the training loss is not finite");
    return {.loss = 0.5};
  }
  FitProgress progress() const override { return {}; }
  void resume(const FitProgress&) override {}
  /// Lets passes succeed that leave no numbers behind.
  void say_nothing() { throws_ = false; }
  /// Lets training go on until so many passes are done, whatever validation says.
  void end_after(std::int64_t passes) { last_ = passes; }
  bool finished() const override { return last_ > 0 && done_ >= last_; }
  bool ends_by_itself() const override { return last_ > 0; }

 private:
  const TrainableModel& model_;
  std::function<double(std::int64_t)> logits_;
  bool throws_ = true;
  std::int64_t done_ = 0, last_ = 0;
};

/// Validation has its best epoch first, and then ends training that does not end by itself.
TEST(TrainingTest, AFitterThatEndsByItselfKeepsItsLastParameters) {
  const Dataset dataset = testing::small_simulation().dataset;
  const TrainableModel model = testing::model_for("pbm", dataset);
  TrainOptions options;
  options.epochs = 20;
  const auto worse_and_worse = [](std::int64_t epoch) { return static_cast<double>(epoch); };
  ScriptedFitter plain(model, worse_and_worse);
  EXPECT_EQ(train_model(model, plain, options, dataset, 1, {}).best_epoch, 1);
  ScriptedFitter fitter(model, worse_and_worse);
  fitter.end_after(6);
  const TrainingResult result = train_model(model, fitter, options, dataset, 1, {});
  EXPECT_EQ(result.epochs.size(), 6u);
  EXPECT_EQ(result.best_epoch, 6);
  EXPECT_TRUE(result.epochs.back().valid) << "it is still measured";
  EXPECT_EQ(model.parameters().front()->values().front(), 6.0f);

  fitter.end_after(50);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(train_model(model, fitter, options, dataset, 1, {}).epochs.size(), 20u);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr(
                  "pbm: training ended after 20 epochs, before all probabilities settled"));
}

TEST(TrainingTest, TrainingThatDivergesKeepsTheBestEpoch) {
  const Dataset dataset = testing::small_simulation().dataset;
  const TrainableModel model = testing::model_for("pbm", dataset);
  for (const bool in_validation : {false, true}) {
    // Better until epoch 4, worse in 5; then there are no numbers.
    ScriptedFitter fitter(model, [](std::int64_t epoch) {
      constexpr double logits[] = {3, 2, 1, 0, 4};
      return epoch <= 5 ? logits[epoch - 1] : std::nan("");
    });
    if (in_validation) fitter.say_nothing();
    TrainOptions options;
    options.early_stopping = 0;
    std::vector<std::vector<std::vector<float>>> after_epoch;
    const TrainingResult result = train_model(
        model, fitter, options, dataset, 1,
        {.epoch = [&](const EpochResult&) { after_epoch.push_back(values_of(model)); }});
    EXPECT_EQ(result.best_epoch, 4);
    EXPECT_EQ(result.epochs.size(), 5u);
    EXPECT_EQ(values_of(model), after_epoch.at(3));
    EXPECT_THAT(
        result.divergence,
        ::testing::StartsWith(
            "training diverged after epoch 5, and the parameters are those of epoch 4: the "));
  }
}

TEST(TrainingTest, TrainingThatDivergesWithinAnEpochLeavesTheBest) {
  const Dataset dataset = testing::small_simulation().dataset;
  const TrainableModel model = testing::model_for("pbm", dataset);
  ScriptedFitter fitter(model, [](std::int64_t epoch) { return epoch < 3 ? 1 : std::nan(""); });
  TrainOptions options;
  options.early_stopping = 0;
  const TrainingResult result = train_model(model, fitter, options, dataset, 1, {});
  EXPECT_EQ(result.best_epoch, 1);
  for (const std::vector<float>& values : values_of(model))
    EXPECT_THAT(values, ::testing::Each(1.0f));
}

TEST(TrainingTest, WithoutAnEpochToKeepDivergenceIsAnError) {
  const Dataset dataset = testing::small_simulation().dataset;
  const Dataset unvalidated = data_without_validation();
  for (const bool validated : {true, false}) {
    const Dataset& data = validated ? dataset : unvalidated;
    const TrainableModel model = testing::model_for("pbm", data);
    ScriptedFitter fitter(
        model, [&](std::int64_t epoch) { return validated || epoch > 2 ? std::nan("") : 1; });
    if (validated) fitter.say_nothing();
    EXPECT_THROW(train_model(model, fitter, {}, data, 1, {}), Diverged);
  }
}

TEST(TrainingTest, ABestEpochThatPredictsNothingHasDiverged) {
  const Dataset dataset = testing::small_simulation().dataset;
  for (const double logit : {0., 60.}) {
    const TrainableModel model = testing::model_for("pbm", dataset);
    ScriptedFitter fitter(model, [&](std::int64_t) { return logit; });
    const std::string divergence = train_model(model, fitter, {}, dataset, 1, {}).divergence;
    EXPECT_THAT(divergence, logit == 0
                                ? ::testing::Matcher<std::string>("")
                                : ::testing::StartsWith("training diverged: the best epoch has "));
  }
}

TEST(TrainingTest, AnEpochIsTheBestEvenIfEveryValidationLossIsInfinite) {
  const Dataset dataset = opposite_data(1);
  const TrainableModel model = testing::model_for("pbm", dataset);
  for (Parameter* parameter : model.parameters()) parameter->fill(200);  // a skip is impossible
  TrainOptions options;
  options.early_stopping = 2;
  const AdamWOptions optimizer;
  const auto fitter =
      make_fitter(optimizer, {.model = model, .train = dataset.train, .options = options});
  const TrainingResult result = train_model(model, *fitter, options, dataset, 1, {});
  ASSERT_EQ(result.epochs[0].valid->loss(), HUGE_VAL);
  EXPECT_EQ(result.best_epoch, 1);
  EXPECT_EQ(result.epochs.size(), 1u + 2u);
}

TEST(TrainingTest, WithoutValidationAllEpochsRunAndTheLastParametersStay) {
  const Training t = train(data_without_validation(), "{epochs: 4, early_stopping: 1}");
  EXPECT_EQ(t.result.epochs.size(), 4u);
  EXPECT_EQ(t.result.best_epoch, 4);
  EXPECT_FALSE(t.result.epochs[3].valid.has_value());
  EXPECT_FALSE(t.result.epochs[3].best);
  EXPECT_EQ(values_of(t.model), t.after_epoch[3]);
  EXPECT_NE(t.after_epoch[3], t.after_epoch[2]);
}

TEST(TrainingTest, AnyNumberOfThreadsGivesTheSameBits) {
  const Dataset dataset = testing::small_simulation().dataset;
  for (const std::string model : {"pbm", "dbn"}) {
    const auto run = [&](int threads) {
      return train(
          dataset, "{epochs: 3, early_stopping: 0, batch_size: 600}",
          {.model = model, .optimizer = "{lr: 0.05, clip_norm: 0.05}", .threads = threads});
    };
    const Training one = run(1);
    for (const int threads : {2, 3}) {
      const Training more = run(threads);
      EXPECT_EQ(values_of(more.model), values_of(one.model));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(more.result.epochs[i].train_loss, one.result.epochs[i].train_loss);
        EXPECT_EQ(more.result.epochs[i].valid->loss(), one.result.epochs[i].valid->loss());
        EXPECT_EQ((*more.result.epochs[i].valid)["cond_ppl"],
                  (*one.result.epochs[i].valid)["cond_ppl"]);
      }
    }
  }
}

TEST(TrainingTest, OrdersAreAFunctionOfSeedAndEpoch) {
  const Dataset dataset = data_without_validation();
  const auto run = [&](const std::string& options, std::uint64_t seed) {
    return values_of(train(dataset, options, {.seed = seed}).model);
  };
  const Values once = run("{epochs: 2, batch_size: 100}", 1);
  EXPECT_EQ(run("{epochs: 2, batch_size: 100}", 1), once);
  EXPECT_NE(run("{epochs: 2, batch_size: 100}", 2), once);
  const Values in_order = run("{epochs: 2, batch_size: 100, shuffle: false}", 1);
  EXPECT_NE(in_order, once);
  EXPECT_EQ(run("{epochs: 2, batch_size: 100, shuffle: false}", 2), in_order);
}

TEST(TrainingTest, AnEpochIsAPassOverAllSessions) {
  const Dataset dataset = data_without_validation();  // 900 sessions
  const Training t = train(dataset, "{epochs: 2, batch_size: 400}");
  EXPECT_THAT(t.steps, ::testing::ElementsAre(400, 800, 900, 400, 800, 900));
}

TEST(TrainingTest, ABatchMayBeLargerThanTheData) {
  const Dataset dataset = data_without_validation();
  const Training larger = train(dataset, "{epochs: 2, batch_size: 100000}");
  EXPECT_THAT(larger.steps, ::testing::ElementsAre(900, 900));
  EXPECT_EQ(values_of(larger.model),
            values_of(train(dataset, "{epochs: 2, batch_size: 900}").model));
}

TEST(TrainingTest, TrainingLossIsTheMeanWhileParametersChange) {
  const Dataset dataset = data_without_validation();
  const double before =
      evaluate_loss(testing::model_for("pbm", dataset), dataset.train, LossMean::documents, 1);
  const Training still =
      train(dataset, "{epochs: 1, batch_size: 100}", {.optimizer = "{lr: 1e-12}"});
  EXPECT_NEAR(still.result.epochs[0].train_loss, before, 1e-6);
  const Training t = train(dataset, "{epochs: 1, batch_size: 100}");
  const double after = evaluate_loss(t.model, dataset.train, LossMean::documents, 1);
  EXPECT_LT(t.result.epochs[0].train_loss, before);
  EXPECT_GT(t.result.epochs[0].train_loss, after);
}

TEST(TrainingTest, ScheduleRunsOverAllStepsThatTrainingMayTake) {
  const Training t = train(data_without_validation(), "{epochs: 2, batch_size: 300}",
                           {.optimizer = "{lr: 0.5, schedule: cosine}"});
  // Training takes six steps; the last steps of its epochs are numbers 2 and 5, from 0.
  for (const int epoch : {1, 2})
    EXPECT_NEAR(t.result.epochs[static_cast<std::size_t>(epoch) - 1].learning_rate,
                0.5 * (1 + std::cos(std::numbers::pi * (3 * epoch - 1) / 6)) / 2, 1e-12);
}

TEST(TrainingTest, GctrEndsAtTheClickRateOfTraining) {
  const Dataset dataset = data_without_validation();
  const Training t = train(dataset, "{epochs: 200, batch_size: 900}",
                           {.model = "gctr", .optimizer = "{lr: 0.05, schedule: cosine}"});
  EXPECT_NEAR(testing::probability_of(t.model, "click", 0), dataset.train.click_rate(), 1e-3);
}

TEST(TrainingTest, ReportsANonFiniteLoss) {
  // The learning rate pushes a logit beyond the range of float32.
  EXPECT_THAT(
      [] { train(data_without_validation(), "{epochs: 9}", {.optimizer = "{lr: 1e38}"}); },
      ::testing::ThrowsMessage<Error>(::testing::StartsWith("the training loss is not finite")));
}

}  // namespace
}  // namespace ultr::training_test
