#include "training/training_step.h"

#include <cmath>
#include <functional>
#include <latch>
#include <limits>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "optim/adam.h"
#include "optim/sgd.h"
#include "testing/small_log.h"
#include "training/evaluation.h"

namespace ultr::training_step_test {
namespace {

using testing::values_of;

std::vector<std::uint32_t> all_sessions(const SessionLog& log) {
  std::vector<std::uint32_t> all(log.sessions());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

/// Returns plain gradient descent: a step of rate 1 subtracts the gradient.
std::unique_ptr<Optimizer> gradient_descent(const TrainableModel& model) {
  auto optimizer = SgdOptions().build();
  optimizer->attach(model.parameters());
  return optimizer;
}

/// Returns d mean loss / d parameters in float64, summed over the shards of the batch and laid out
/// like values_of.
std::vector<std::vector<double>> gradient(const TrainableModel& model, std::span<const Shard> batch,
                                          LossMean mean) {
  double units = 0;
  std::map<std::string, std::vector<double>> sum;
  for (const Shard& shard : batch) {
    units +=
        static_cast<double>(mean == LossMean::documents ? shard.documents() : shard.sessions());
    ClickProgram program(model, ProgramKind::loss, shard.longest(), Precision::float32, mean);
    program.run(shard);
    program.backward(1);
    for (const auto& [name, values] : testing::gradients_of(model, program)) {
      sum[name].resize(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) sum[name][i] += values[i];
    }
  }
  std::vector<std::vector<double>> in_order;
  for (const Parameter* parameter : model.parameters()) {
    in_order.push_back(sum[parameter->name()]);
    for (double& value : in_order.back()) value /= units;
  }
  return in_order;
}

double norm(const std::vector<std::vector<double>>& values) {
  double square = 0;
  for (const auto& some : values)
    for (const double value : some) square += value * value;
  return std::sqrt(square);
}

/// Returns before - after.
std::vector<std::vector<double>> change(const std::vector<std::vector<float>>& before,
                                        const std::vector<std::vector<float>>& after) {
  std::vector<std::vector<double>> difference(before.size());
  for (std::size_t p = 0; p < before.size(); ++p)
    for (std::size_t i = 0; i < before[p].size(); ++i)
      difference[p].push_back(static_cast<double>(before[p][i]) - static_cast<double>(after[p][i]));
  return difference;
}

void expect_near(const std::vector<std::vector<double>>& actual,
                 const std::vector<std::vector<double>>& expected, double factor) {
  for (std::size_t p = 0; p < expected.size(); ++p)
    for (std::size_t i = 0; i < expected[p].size(); ++i)
      EXPECT_NEAR(actual[p][i], factor * expected[p][i], 1e-6) << "parameter " << p << "[" << i;
}

/// Tests of every model on one batch of all 900 training sessions, in four shards.
class TrainingStepTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<Shard> pack() const {
    TrainingStep step(model_, *optimizer_, {});
    std::vector<Shard> batch;
    step.pack({log_.spans(), all_sessions(log_)}, batch);
    return batch;
  }

  ExperimentData data_ = testing::small_simulation();
  const SessionLog& log_ = data_.dataset.train;
  TrainableModel model_ = testing::model_for(GetParam(), data_.dataset);
  std::unique_ptr<Optimizer> optimizer_ = gradient_descent(model_);
};

INSTANTIATE_TEST_SUITE_P(Models, TrainingStepTest, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const ModelType& type : model_types()) names.push_back(type.name);
                           return names;
                         }()),
                         [](const auto& test) { return test.param; });

TEST_P(TrainingStepTest, SubtractsTheGradientOfTheMean) {
  const std::vector<Shard> batch = pack();
  ASSERT_EQ(batch.size(), 4u);
  for (const LossMean mean : {LossMean::documents, LossMean::sessions}) {
    const auto before = values_of(model_);
    const auto expected = gradient(model_, batch, mean);
    TrainingStep step(model_, *optimizer_, {.mean = mean});
    step(batch, 0.5);
    expect_near(change(before, values_of(model_)), expected, 0.5);
  }
}

TEST_P(TrainingStepTest, LossIsTheOneBeforeTheUpdate) {
  const double expected = evaluate_loss(model_, log_, LossMean::documents, 1);
  const BatchLoss loss = TrainingStep(model_, *optimizer_, {})(pack(), 0.5);
  EXPECT_EQ(loss.units, static_cast<double>(log_.documents()));
  EXPECT_NEAR(loss.sum / loss.units, expected, 1e-6);
  const double after = evaluate_loss(model_, log_, LossMean::documents, 1);
  EXPECT_LT(after, expected);

  TrainingStep by_session(model_, *optimizer_, {.mean = LossMean::sessions});
  EXPECT_EQ(by_session(pack(), 0.5).units, static_cast<double>(log_.sessions()));
}

TEST_P(TrainingStepTest, ClipsToTheNormOverAllParameters) {
  const std::vector<Shard> batch = pack();
  const auto expected = gradient(model_, batch, LossMean::documents);
  const double clip_norm = norm(expected) / 8;
  for (const int threads : {1, 2}) {
    const auto before = values_of(model_);
    TrainingStep step(model_, *optimizer_, {.clip_norm = clip_norm, .threads = threads});
    step(batch, 1);
    const auto clipped = change(before, values_of(model_));
    EXPECT_NEAR(norm(clipped) / clip_norm, 1, 1e-4);
    expect_near(clipped, expected, 1 / 8.);
    for (std::size_t p = 0; p < before.size(); ++p) model_.parameters()[p]->assign(before[p]);
  }
}

TEST_P(TrainingStepTest, DoesNotClipWhatIsShorter) {
  const std::vector<Shard> batch = pack();
  const auto expected = gradient(model_, batch, LossMean::documents);
  const auto before = values_of(model_);
  TrainingStep step(model_, *optimizer_, {.clip_norm = 1.01 * norm(expected)});
  step(batch, 1);
  expect_near(change(before, values_of(model_)), expected, 1);
}

TEST_P(TrainingStepTest, AnyNumberOfThreadsGivesTheSameBits) {
  const std::vector<Shard> batch = pack();
  const auto start = values_of(model_);
  for (const double clip_norm : {0.0, 0.01})
    for (const bool lazy : {true, false}) {
      std::vector<std::vector<float>> one;
      for (const int threads : {1, 2, 3, 5}) {
        for (std::size_t p = 0; p < start.size(); ++p) model_.parameters()[p]->assign(start[p]);
        auto adam = AdamWOptions().build();
        adam->attach(model_.parameters());
        TrainingStep step(model_, *adam,
                          {.lazy = lazy, .clip_norm = clip_norm, .threads = threads});
        double loss = 0;
        for (int i = 0; i < 3; ++i) loss = step(batch, 0.1).sum;
        EXPECT_TRUE(std::isfinite(loss));
        if (threads == 1) one = values_of(model_);
        EXPECT_EQ(values_of(model_), one) << threads << " threads, lazy " << lazy;
      }
    }
}

TEST_P(TrainingStepTest, ThreadsThatComeLateOrNeverChangeNothing) {
  const std::vector<Shard> batch = pack();
  const auto start = values_of(model_);
  /// Returns the parameters after six steps. Calls `before` before each step
  /// and after the last.
  const auto trained = [&](int threads, const std::function<void(TrainingStep&, int)>& before) {
    for (std::size_t p = 0; p < start.size(); ++p) model_.parameters()[p]->assign(start[p]);
    auto adam = AdamOptions().build();
    adam->attach(model_.parameters());
    TrainingStep step(model_, *adam, {.threads = threads});
    for (int i = 0; i < 6; ++i) {
      before(step, i);
      step(batch, 0.1);
    }
    before(step, 6);
    return values_of(model_);
  };
  const auto one = trained(1, [](TrainingStep&, int) {});
  for (const int arrives_before : {2, 6}) {
    std::latch arrived(1);
    EXPECT_EQ(trained(3,
                      [&](TrainingStep& step, int i) {
                        step.workers().fix_count(3);
                        if (i == 0) step.workers().on_arrival([&](std::size_t) { arrived.wait(); });
                        if (i == arrives_before) arrived.count_down();
                      }),
              one);
  }
  // The number of workers changes from step to step.
  EXPECT_EQ(
      trained(3, [](TrainingStep& step,
                    int i) { step.workers().fix_count(1 + static_cast<std::size_t>(i) % 3); }),
      one);
}

TEST_P(TrainingStepTest, TheNextBatchChangesNothing) {
  const std::vector<Shard> batch = pack();
  const std::span first = std::span(batch).first(2), second = std::span(batch).subspan(2);
  const auto start = values_of(model_);
  const auto trained = [&](int threads, std::span<const Shard> next) {
    for (std::size_t p = 0; p < start.size(); ++p) model_.parameters()[p]->assign(start[p]);
    auto adam = AdamOptions().build();
    adam->attach(model_.parameters());
    TrainingStep step(model_, *adam, {.threads = threads});
    step(first, 0.1, next);
    step(second, 0.1);
    return values_of(model_);
  };
  for (const int threads : {1, 2, 3}) EXPECT_EQ(trained(threads, second), trained(threads, {}));
}

TEST_P(TrainingStepTest, ReportsANonFiniteLoss) {
  const std::vector<Shard> batch = pack();
  for (Parameter* parameter : model_.parameters())
    parameter->fill(std::numeric_limits<float>::quiet_NaN());
  TrainingStep step(model_, *optimizer_, {});
  EXPECT_THAT(
      [&] { step(batch, 0.1); },
      ::testing::ThrowsMessage<Error>("the training loss is not finite; a smaller optimizer.lr or "
                                      "optimizer.clip_norm may help"));
}

TEST(TrainingStepRowsTest, LazyStepsSkipUnreadRowsAndDenseOnesDoNot) {
  SessionLog log;
  log.add({std::array{2u}, std::array<std::uint16_t, 1>{0}, std::array<std::uint8_t, 1>{1}});
  for (const bool lazy : {true, false}) {
    TrainableModel model = testing::build_model("dctr", {.rows = 300, .positions = 1});
    Parameter& rows = testing::parameter_called(model, "attraction");
    rows.fill(1);
    auto options = AdamWOptions();
    options.weight_decay = 0.5;
    auto optimizer = options.build();
    optimizer->attach(model.parameters());
    TrainingStep step(model, *optimizer, {.lazy = lazy});
    std::vector<Shard> batch;
    step.pack({log.spans(), all_sessions(log)}, batch);
    step(batch, 0.1);
    EXPECT_NE(rows.value(2), 1);
    for (const std::int64_t row : {0, 1, 3, 299})
      EXPECT_FLOAT_EQ(rows.value(row), lazy ? 1.0f : 1 - 0.1f * 0.5f) << row;
  }
}

/// Returns a model with dropout in its towers.
TrainableModel model_with_dropout(const Dataset& dataset) {
  constexpr std::int64_t count = 3;
  std::vector<float> values(count, 0.0f);
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  while (values.size() < static_cast<std::size_t>(dataset.dictionary.rows() * count))
    values.push_back(static_cast<float>(random.normal()));
  const Choice choice(testing::registry().models(), "pbm");
  testing::configure(*choice.options,
                     "{attraction: {type: mlp, widths: [8, 8], dropout: 0.3},"
                     " examination: {type: deep_cross, widths: [8], dropout: 0.3}}");
  return choice.as<ModelOptions>().build({.rows = dataset.dictionary.rows(),
                                          .positions = static_cast<std::int64_t>(dataset.positions),
                                          .features = FeatureTable(std::move(values), count)});
}

TEST(TrainingStepNoiseTest, DropoutDependsOnSeedStepAndShardOnly) {
  const ExperimentData data = testing::small_simulation();
  /// Returns the losses of three steps that hardly change the parameters.
  const auto losses = [&](std::uint64_t seed, int threads, bool dropout) {
    const TrainableModel model =
        dropout ? model_with_dropout(data.dataset) : testing::model_for("pbm", data.dataset);
    auto adam = AdamWOptions().build();
    adam->attach(model.parameters());
    TrainingStep step(model, *adam, {.seed = seed, .threads = threads});
    std::vector<Shard> batch;
    step.pack({data.dataset.train.spans(), all_sessions(data.dataset.train)}, batch);
    std::vector<double> all;
    for (int i = 0; i < 3; ++i) all.push_back(step(batch, 1e-30).sum);
    for (const auto& some : values_of(model))
      for (const float value : some) all.push_back(static_cast<double>(value));
    return all;
  };
  const auto base = losses(1, 1, true);
  EXPECT_NE(base[0], base[1]);  // each step drops other numbers
  EXPECT_NE(base[1], base[2]);
  EXPECT_EQ(losses(1, 1, true), base);
  EXPECT_EQ(losses(1, 4, true), base);
  EXPECT_NE(losses(2, 1, true)[0], base[0]);
  const auto plain = losses(1, 1, false);
  EXPECT_EQ(plain[0], plain[1]);
}

TEST(TrainingStepNoiseTest, AnyNumberOfThreadsTrainsToTheSameBits) {
  const ExperimentData data = testing::small_simulation();
  std::vector<std::vector<float>> one;
  for (const int threads : {1, 4}) {
    const TrainableModel model = model_with_dropout(data.dataset);
    auto adam = AdamWOptions().build();
    adam->attach(model.parameters());
    TrainingStep step(model, *adam, {.threads = threads});
    std::vector<Shard> batch;
    step.pack({data.dataset.train.spans(), all_sessions(data.dataset.train)}, batch);
    const auto start = values_of(model);
    for (int i = 0; i < 3; ++i) step(batch, 0.1);
    EXPECT_NE(values_of(model), start);
    if (threads == 1) one = values_of(model);
    EXPECT_EQ(values_of(model), one);
  }
}

TEST(TrainingStepNoiseTest, EvaluationsDropNothing) {
  const ExperimentData data = testing::small_simulation();
  const TrainableModel model = model_with_dropout(data.dataset);
  const SessionLog& log = data.dataset.train;
  const double loss = evaluate_loss(model, log, LossMean::documents, 1);
  // Conditional predictions have no dropout either.
  EXPECT_NEAR(evaluate_clicks(model, log, LossMean::documents, 1).loss, loss, 1e-6);
  auto adam = AdamWOptions().build();
  adam->attach(model.parameters());
  TrainingStep step(model, *adam, {});
  std::vector<Shard> batch;
  step.pack({log.spans(), all_sessions(log)}, batch);
  const BatchLoss noisy = step(batch, 0.1);
  EXPECT_GT(std::abs(noisy.sum / noisy.units - loss), 1e-5);
}

TEST(TrainingStepPackTest, PacksSessionsInTheirOrderIntoWholeShards) {
  const ExperimentData data = testing::small_simulation();
  const SessionLog& log = data.dataset.train;
  const TrainableModel model = testing::model_for("gctr", data.dataset);
  const auto optimizer = gradient_descent(model);
  std::vector<std::uint32_t> sessions = all_sessions(log);
  std::reverse(sessions.begin(), sessions.end());
  sessions.resize(2 * shard_sessions + 5);
  for (const int threads : {1, 3}) {
    TrainingStep step(model, *optimizer, {.threads = threads});
    std::vector<Shard> batch(9);  // left over from a longer batch
    step.pack({log.spans(), sessions}, batch);
    ASSERT_EQ(batch.size(), 3u);
    std::vector<std::uint32_t> packed;
    for (const Shard& shard : batch)
      packed.insert(packed.end(), shard.order().begin(), shard.order().end());
    EXPECT_EQ(packed, sessions);
  }
}

}  // namespace
}  // namespace ultr::training_step_test
