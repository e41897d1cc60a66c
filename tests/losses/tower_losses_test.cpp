#include <gtest/gtest.h>

#include "base/random.h"
#include "dsl/programs/model_check.h"
#include "layers/position_encoding.h"
#include "losses/loss_variants.h"
#include "models/model_fixture.h"

// Ranking losses with towers for all of their parameters.

namespace ultr::tower_losses_test {
namespace {

constexpr std::int64_t rows = 9, positions = 6;

/// Documents have four features. The last `bias_count` of them are bias features.
ModelSetting setting(const SessionLog& train, std::int64_t bias_count) {
  constexpr std::int64_t count = 4;
  std::vector<float> values(count, 0.0f);
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  while (values.size() < rows * count) values.push_back(static_cast<float>(random.normal()));
  return {.rows = rows,
          .positions = positions,
          .seed = 5,
          .features = FeatureTable(std::move(values), count, bias_count),
          .train = &train};
}

class TowerLossesTest
    : public ::testing::TestWithParam<std::tuple<testing::LossVariant, std::string>> {
 protected:
  void check(const SessionLog& train, std::int64_t bias_count) const;
};

TEST_P(TowerLossesTest, GradientsAgreeWithFiniteDifferences) {
  const SessionLog train = testing::uneven_lists(1);
  const auto& [loss, tower] = GetParam();
  check(train, 0);
  // A policy-aware loss that learns position bias refuses one that depends on more than positions.
  const auto has = [&](const char* text) { return loss.options.find(text) != std::string::npos; };
  if (!has("policy_aware: true") || has("bias:")) check(train, 1);
}

void TowerLossesTest::check(const SessionLog& train, std::int64_t bias_count) const {
  testing::LossVariant loss = std::get<0>(GetParam());
  std::string towers;
  const TrainableModel plain = testing::build_loss(loss, setting(train, bias_count));
  for (const TrainableModel::Layer& layer : plain.layers())
    if (dynamic_cast<const PositionEncoding*>(layer.layer.get()) == nullptr)
      towers += (towers.empty() ? "" : ", ") + layer.name + ": " + std::get<1>(GetParam());
  const std::string others = loss.options.substr(1, loss.options.size() - 2);
  loss.options = "{" + others + (others.empty() ? "" : ", ") + towers + "}";
  const TrainableModel model = testing::build_loss(loss, setting(train, bias_count));
  testing::randomise(model, -1, 1, 3);
  for (const TrainableModel& stage : model.stages()) {
    const GradientReport report = check_model_gradient(stage, testing::pack_all(train));
    EXPECT_GT(report.entries, 0u);
    EXPECT_LE(report.worst.error, 1e-8) << stage.type() << ": " << report.to_string();
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TowerLossesTest,
    ::testing::Combine(
        ::testing::ValuesIn(testing::loss_variants()),
        ::testing::Values("{type: linear}",
                          "{type: mlp, widths: [6, 5], activation: tanh, dropout: [0.2, 0.5]}",
                          "{type: deep_cross, widths: [5], activation: elu}")),
    [](const auto& test) {
      const std::string& layer = std::get<1>(test.param);
      const std::string type = layer.substr(7, layer.find_first_of(",}") - 7);
      return std::get<0>(test.param).name + "_" + type;
    });

}  // namespace
}  // namespace ultr::tower_losses_test
