#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "dsl/programs/model_check.h"
#include "models/model_fixture.h"
#include "models/models.h"
#include "options/config_tree.h"

// Models whose parameters are all towers: over documents, ranks, pairs of ranks, documents at
// ranks, and a single global entry.

namespace ultr::tower_models_test {
namespace {

struct TowerModel {
  std::string model, layer;
};

void PrintTo(const TowerModel& c, std::ostream* out) { *out << c.model << " " << c.layer; }

constexpr std::int64_t rows = 9, positions = 6;

/// Returns features of rows - 1 pairs, and zeros for the unknown one.
FeatureTable features() {
  constexpr std::int64_t count = 4;
  std::vector<float> values(count, 0.0f);
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  while (values.size() < rows * count) values.push_back(static_cast<float>(random.normal()));
  return {std::move(values), count};
}

TrainableModel build(const TowerModel& tower, const FeatureTable& table) {
  const Choice choice(testing::registry().models(), tower.model);
  const ModelSetting setting{.rows = rows, .positions = positions, .seed = 5, .features = table};
  const TrainableModel plain = choice.as<ModelOptions>().build(setting);
  for (const TrainableModel::Layer& layer : plain.layers())
    if (layer.domain != Domain::alternative)
      testing::configure(*choice.options, layer.name + ": {type: " + tower.layer + "}");
  return choice.as<ModelOptions>().build(setting);
}

std::vector<TowerModel> all_models() {
  std::vector<TowerModel> all;
  for (const ModelType& model : model_types()) {
    if (model.name == "mixture") continue;  // its models are in the list
    for (const std::string layer :
         {"linear", "mlp, widths: [6, 5], activation: tanh, dropout: [0.2, 0.5]",
          "deep_cross, widths: [5], activation: elu"})
      all.push_back({model.name, layer});
  }
  return all;
}

class EveryTowerModelTest : public ::testing::TestWithParam<TowerModel> {
 protected:
  const TrainableModel model_ = build(GetParam(), features());
};

TEST_P(EveryTowerModelTest, GradientsAgreeWithFiniteDifferences) {
  testing::randomise(model_, -1, 1, 3);
  const SessionLog log = testing::uneven_lists(1);
  const GradientReport report = check_model_gradient(model_, testing::pack_all(log));
  EXPECT_GT(report.entries, 0u);
  EXPECT_LE(report.worst.error, 1e-8) << report.to_string();
}

TEST_P(EveryTowerModelTest, ReplayOnAnotherBatchEqualsAFreshRecording) {
  const Shard first = testing::pack_all(testing::uneven_lists(3)),
              second = testing::pack_all(testing::uneven_lists(4));
  ASSERT_EQ(first.longest(), second.longest());
  const NoiseKey key{.seed = 1, .step = 2, .shard = 3};
  ClickProgram replayed(model_, ProgramKind::training_loss, first.longest());
  ClickProgram fresh(model_, ProgramKind::training_loss, first.longest());
  replayed.run(first);
  replayed.backward(1);
  replayed.run(second, key);
  replayed.backward(1);
  fresh.run(second, key);
  fresh.backward(1);
  EXPECT_EQ(replayed.loss(), fresh.loss());
  EXPECT_EQ(testing::gradients_of(model_, replayed), testing::gradients_of(model_, fresh));
}

TEST_P(EveryTowerModelTest, OnlyTheTrainingLossIsNoisy) {
  const Shard shard = testing::pack_all(testing::uneven_lists(1));
  const auto loss = [&](ProgramKind kind, const NoiseKey& key) {
    ClickProgram program(model_, kind, shard.longest());
    program.run(shard, key);
    return program.loss();
  };
  const NoiseKey one{.seed = 1}, other{.seed = 1, .step = 1};
  EXPECT_EQ(loss(ProgramKind::loss, one), loss(ProgramKind::loss, other));
  const bool noisy = GetParam().layer.find("dropout") != std::string::npos;
  EXPECT_EQ(loss(ProgramKind::training_loss, one) != loss(ProgramKind::training_loss, other),
            noisy);
  EXPECT_EQ(loss(ProgramKind::training_loss, one) != loss(ProgramKind::loss, one), noisy);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryTowerModelTest, ::testing::ValuesIn(all_models()),
                         [](const auto& test) {
                           const std::string& layer = test.param.layer;
                           return test.param.model + "_" + layer.substr(0, layer.find(','));
                         });

TEST(TowerModelTest, DocumentsWithEqualFeaturesAreEquallyRelevant) {
  // Rows 1 and 2 have the same features, row 3 has others.
  const FeatureTable table(std::vector<float>{0, 0, 1, -2, 1, -2, 1, 2}, 2);
  const Choice choice(testing::registry().models(), "pbm");
  testing::configure(*choice.options, "attraction: {type: mlp, widths: [8]}");
  const TrainableModel model =
      choice.as<ModelOptions>().build({.rows = 4, .positions = 3, .features = table});
  SessionLog log;
  log.add({std::vector<std::uint32_t>{1, 2, 3}, std::vector<std::uint16_t>{0, 1, 2},
           std::vector<std::uint8_t>{0, 0, 0}});
  ClickPrograms programs(model, ProgramKind::relevance);
  const auto relevance = programs.run(testing::pack_all(log)).log_p();
  EXPECT_EQ(relevance[0], relevance[1]);
  EXPECT_NE(relevance[0], relevance[2]);
}

TEST(TowerModelTest, NeedsOneRowOfFeaturesPerPair) {
  const Choice choice(testing::registry().models(), "pbm");
  EXPECT_THROW(choice.as<ModelOptions>().build({.rows = rows + 1, .features = features()}), Error);
  testing::configure(*choice.options, "attraction: mlp");
  try {
    choice.as<ModelOptions>().build({.rows = rows});
    ADD_FAILURE() << "built without features";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "attraction: 'mlp' needs features, which the data do not have");
  }
}

}  // namespace
}  // namespace ultr::tower_models_test
