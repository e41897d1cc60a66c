#include <numeric>

#include <gtest/gtest.h>

#include "optim/optim.h"
#include "optim/stepping_types.h"
#include "testing/allocations.h"
#include "testing/small_log.h"
#include "training/training_step.h"

// Once warm, training takes nothing from the heap.

namespace ultr::training_allocations_test {
namespace {

/// Lists of 1 to 5 documents, so that shards have several lengths.
SessionLog uneven_log(std::size_t sessions) {
  const std::vector<std::uint32_t> rows = {1, 2, 3, 4, 5};
  const std::vector<std::uint16_t> positions = {0, 1, 2, 3, 4};
  const std::vector<std::uint8_t> clicks = {0, 1, 0, 0, 1};
  SessionLog log;
  for (std::size_t i = 0; i < sessions; ++i) {
    const std::size_t length = 1 + i % 5;
    log.add({std::span(rows).first(length), std::span(positions).first(length),
             std::span(clicks).first(length)});
  }
  return with_made_up_signals(log);
}

/// Heap allocations of a third step, from packing to the update.
std::size_t allocations_of_warm_step(const TrainableModel& model, const std::string& optimizer,
                                     StepSettings settings, double learning_rate = 0.1) {
  const SessionLog log = uneven_log(shard_sessions + 30);
  std::vector<std::uint32_t> sessions(log.sessions());
  std::iota(sessions.begin(), sessions.end(), 0u);
  const auto rule = Choice(optimizer_types(), optimizer).as<OptimizerOptions>().build();
  rule->attach(model.parameters());
  TrainingStep step(model, *rule, settings);
  std::vector<Shard> batch;
  std::size_t before = 0;
  for (int i = 0; i < 3; ++i) {
    before = testing::allocations();
    step.pack({log.spans(), sessions}, batch);
    step(batch, learning_rate);
  }
  return testing::allocations() - before;
}

TEST(TrainingAllocationsTest, AWarmStepOfAnyModelMakesNone) {
  for (const ModelType& type : model_types()) {
    const TrainableModel model = testing::build_model(type.name, {.rows = 6, .positions = 5});
    EXPECT_EQ(allocations_of_warm_step(model, "adamw", {}), 0u) << type.name;
  }
}

TEST(TrainingAllocationsTest, AWarmStepOfAnyOptimizerMakesNone) {
  const TrainableModel model = testing::build_model("dbn", {.rows = 6, .positions = 5});
  for (const OptionType& type : testing::stepping_types())
    for (const bool lazy : {true, false})
      EXPECT_EQ(allocations_of_warm_step(model, type.name, {.lazy = lazy, .clip_norm = 0.1}), 0u)
          << type.name << ", lazy " << lazy;
}

TEST(TrainingAllocationsTest, AWarmStepOfTowersMakesNone) {
  std::vector<float> features(6 * 4, 0.5f);
  std::fill_n(features.begin(), 4, 0.0f);
  const FeatureTable table(std::move(features), 4);
  for (const std::string type : {"linear", "mlp", "deep_cross"}) {
    const Choice choice(testing::registry().models(), "pbm");
    const std::string dropout = type == "linear" ? "" : ", dropout: 0.1";
    testing::configure(*choice.options, "{attraction: {type: " + type + dropout +
                                            "}, examination: {type: " + type + dropout + "}}");
    const TrainableModel model =
        choice.as<ModelOptions>().build({.rows = 6, .positions = 5, .features = table});
    EXPECT_EQ(allocations_of_warm_step(model, "adamw", {}, 1e-3), 0u) << type;
  }
}

}  // namespace
}  // namespace ultr::training_allocations_test
