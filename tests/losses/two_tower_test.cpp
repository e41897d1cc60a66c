#include "losses/two_tower.h"

#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "losses/loss_variants.h"
#include "models/model_fixture.h"

namespace ultr::two_tower_test {
namespace {

constexpr double r = 1.5, e = -0.75;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Tests on a document that was clicked n times, with relevance logit r and bias logit e.
class TwoTowerLossTest : public ::testing::Test {
 protected:
  TrainableModel build(const std::string& options) const {
    TrainableModel model = testing::build_loss("two_tower", {.rows = 2, .positions = 1}, options);
    for (Parameter* parameter : model.parameters()) parameter->fill(0);
    testing::parameter_called(model, "relevance").value(1) = static_cast<float>(r);
    testing::parameter_called(model, "examination").value(0) = static_cast<float>(e);
    return model;
  }
  static Shard clicked(std::size_t n) {
    SessionLog log;
    for (std::size_t i = 0; i < n; ++i)
      log.add({std::vector<std::uint32_t>{1}, std::vector<std::uint16_t>{0},
               std::vector<std::uint8_t>{1}});
    return testing::pack_all(log);
  }
  /// Computes d loss / d parameters of a program that has run.
  static std::map<std::string, std::vector<double>> gradients(const TrainableModel& model,
                                                              ClickProgram& program) {
    program.backward(1);
    return testing::gradients_of(model, program);
  }
};

TEST_F(TwoTowerLossTest, LogitsAddUpOrProbabilitiesMultiply) {
  for (const bool adds : {true, false}) {
    const TrainableModel model = build(adds ? "{}" : "{combination: multiplicative}");
    const double click = adds ? sigmoid(r + e) : sigmoid(r) * sigmoid(e);
    ClickPrograms loss(model, ProgramKind::loss, Precision::float64),
        clicks(model, ProgramKind::conditional, Precision::float64),
        examined(model, ProgramKind::examination, Precision::float64);
    EXPECT_NEAR(loss.run(clicked(1)).loss(), -std::log(click), 1e-12);
    EXPECT_NEAR(std::exp(clicks.run(clicked(1)).log_p()[0]), click, 1e-12);
    EXPECT_NEAR(std::exp(examined.run(clicked(1)).log_p()[0]), adds ? 1 : sigmoid(e), 1e-12);
  }
}

TEST_F(TwoTowerLossTest, TrainingDropsBiasLogitsOut) {
  constexpr double rate = 0.25;
  const TrainableModel model = build("{bias_dropout: 0.25}");
  ClickPrograms training(model, ProgramKind::training_loss, Precision::float64),
      evaluation(model, ProgramKind::loss, Precision::float64);
  EXPECT_NEAR(evaluation.run(clicked(1)).loss(), -std::log(sigmoid(r + e)), 1e-12);
  int dropped = 0;
  constexpr int draws = 2000;
  for (std::uint32_t step = 0; step < draws; ++step) {
    const double loss = training.run(clicked(1), {.seed = 3, .step = step}).loss();
    const bool drops = std::abs(loss + std::log(sigmoid(r))) < 1e-9;
    EXPECT_TRUE(drops || std::abs(loss + std::log(sigmoid(r + e / (1 - rate)))) < 1e-9);
    dropped += drops ? 1 : 0;
  }
  EXPECT_NEAR(dropped / static_cast<double>(draws), rate, 4 * std::sqrt(rate * (1 - rate) / draws));
}

TEST_F(TwoTowerLossTest, BiasLogitsAreDroppedOneByOne) {
  const TrainableModel model = build("{bias_dropout: 0.5}");
  ClickPrograms training(model, ProgramKind::training_loss, Precision::float64);
  const double loss = training.run(clicked(200), {.seed = 3}).loss();
  EXPECT_LT(loss, -200 * std::log(sigmoid(r + e / 0.5)));
  EXPECT_GT(loss, -200 * std::log(sigmoid(r)));
}

TEST_F(TwoTowerLossTest, GradientReversalOpposesTheAdversary) {
  constexpr double slope = 0.5, intercept = 0.25, strength = 2;
  const TrainableModel plain = build("{}"), model = build("{gradient_reversal: 2}");
  testing::parameter_called(model, "adversary_slope").value(0) = slope;
  testing::parameter_called(model, "adversary_intercept").value(0) = intercept;
  ClickPrograms programs(model, ProgramKind::training_loss, Precision::float64),
      plain_programs(plain, ProgramKind::training_loss, Precision::float64),
      evaluated(model, ProgramKind::loss, Precision::float64);
  const Shard shard = clicked(1);
  ClickProgram& program = programs.run(shard);
  const double target = sigmoid(r), guess = sigmoid(slope * e + intercept);
  EXPECT_NEAR(
      program.loss(),
      -std::log(sigmoid(r + e)) - target * std::log(guess) - (1 - target) * std::log(1 - guess),
      1e-12);
  auto gradient = gradients(model, program);
  // d/dx of the cross-entropy is guess - target, x = slope e + intercept.
  EXPECT_NEAR(gradient["adversary_slope"][0], (guess - target) * e, 1e-12);
  EXPECT_NEAR(gradient["adversary_intercept"][0], guess - target, 1e-12);
  EXPECT_NEAR(gradient["examination"][0], sigmoid(r + e) - 1 - strength * (guess - target) * slope,
              1e-12);
  EXPECT_NEAR(gradient["relevance"][1], gradients(plain, plain_programs.run(shard))["relevance"][1],
              1e-12)
      << "the target of the adversary is constant";
  EXPECT_NEAR(evaluated.run(shard).loss(), -std::log(sigmoid(r + e)), 1e-12)
      << "clicks alone are evaluated";
}

TEST_F(TwoTowerLossTest, OnlyReversalHasAnAdversary) {
  std::set<std::string> names;
  const TrainableModel model = build("{bias_dropout: 0.5}");
  for (const TrainableModel::Layer& layer : model.layers()) names.insert(layer.name);
  EXPECT_EQ(names, (std::set<std::string>{"relevance", "examination"}));
}

}  // namespace
}  // namespace ultr::two_tower_test
