#include <stdexcept>

#include <gtest/gtest.h>

#include "training/boosting_data.h"
#include "training/boosting_fitter.h"
#include "training/training.h"

// Training of boosted trees that is stopped and resumed.

namespace ultr::boosting_checkpoints_test {
namespace {

using testing::BoostingData;
using testing::Fit;
using testing::sampled_trees;
using testing::small_trees;
using testing::values_of;
using testing::with_trees;

/// Ends a pass in the middle.
struct Stop : std::runtime_error {
  Stop() : std::runtime_error("stop") {}
};

using Kept = std::vector<std::vector<float>>;

/// Returns all that a checkpoint keeps of the parameters.
Kept kept_of(const TrainableModel& model) {
  Kept kept;
  for (const Parameter* parameter : model.parameters()) {
    kept.emplace_back(static_cast<std::size_t>(parameter->rows() * parameter->kept_per_row()));
    parameter->copy_kept(0, kept.back());
  }
  return kept;
}

/// Sets all that a checkpoint keeps of the parameters, which must be those of a fitter already.
void assign_kept(const TrainableModel& model, const Kept& kept) {
  for (std::size_t p = 0; p < kept.size(); ++p) model.parameters()[p]->assign_kept(0, kept[p]);
}

TEST(BoostingCheckpointsTest, ResumesToTheSameBitsAfterATreeAndInTheMiddleOfSteps) {
  const BoostingData data;
  const std::string options = "{epochs: 6, batch_size: 256}";
  const auto model_of = [](const std::string& name) {
    for (const testing::TreeStory& story : testing::tree_stories())
      if (story.name == name) return story;
    throw std::runtime_error("no story called " + name);
  };
  for (const std::string name :
       {"two_tower_dropout", "dla", "click_model_dbn", "click_model_mixture"})
    for (const std::string trees : {small_trees, sampled_trees}) {
      SCOPED_TRACE(name + " " + trees);
      const testing::TreeStory story = model_of(name);
      const TrainableModel whole = story.build(data.setting(), trees);
      const Fit straight(whole, data.dataset.train, 1, options);
      std::vector<double> losses;
      for (std::int64_t epoch = 1; epoch <= 3; ++epoch)
        losses.push_back(straight.fitter->pass(epoch, {}).loss);

      for (const std::size_t stop_at : {256u, 512u}) {
        const TrainableModel stopped = story.build(data.setting(), trees),
                             resumed = story.build(data.setting(), trees);
        const Fit first(stopped, data.dataset.train, 1, options);
        first.fitter->pass(1, {});
        EXPECT_THROW(first.fitter->pass(2,
                                        [&](std::size_t done) {
                                          if (done >= stop_at) throw Stop();
                                        }),
                     Stop);
        const Fit second(resumed, data.dataset.train, 1, options);
        assign_kept(resumed, kept_of(stopped));
        second.fitter->resume(first.fitter->progress());
        EXPECT_EQ(second.fitter->pass(2, {}).loss, losses[1]);
        EXPECT_EQ(second.fitter->pass(3, {}).loss, losses[2]);
        EXPECT_EQ(values_of(resumed), values_of(whole));
      }
    }
}

/// Training that overfits after its best round, resumed after each round, also after the best.
TEST(BoostingCheckpointsTest, ResumesEarlyStoppingToTheSameBits) {
  const BoostingData data;
  const std::string options = "{epochs: 6, batch_size: 256, early_stopping: 2}";
  const std::string trees =
      "{type: boosted_trees, rounds: 6, learning_rate: 1, min_child_weight: 0.001, lambda: 0.001, "
      "subsample: 0.3, columns: 0.5}";
  const testing::LossVariant loss{"", "two_tower", "{}"};
  const TrainableModel whole = with_trees(loss, data.setting(), trees);
  const Fit straight(whole, data.dataset.train, 1, options);
  std::vector<TrainingState> states;
  std::vector<Kept> kept;
  TrainingObserver observer;
  observer.state = [&](const TrainingState& state) {
    if (state.done.epochs.size() == states.size()) return;  // in the middle of an epoch
    states.push_back(state);
    kept.push_back(kept_of(whole));
  };
  const TrainingResult result =
      train_model(whole, *straight.fitter, straight.options, data.dataset, 1, observer);
  ASSERT_LT(result.best_epoch, static_cast<std::int64_t>(result.epochs.size()));
  ASSERT_EQ(tree_towers(whole)[0]->trees().size(), static_cast<std::size_t>(result.best_epoch));
  for (std::size_t i = 0; i < states.size(); ++i) {
    SCOPED_TRACE(i);
    const TrainableModel model = with_trees(loss, data.setting(), trees);
    const Fit resumed(model, data.dataset.train, 3, options);
    assign_kept(model, kept[i]);
    train_model(model, *resumed.fitter, resumed.options, data.dataset, 3, {}, states[i]);
    EXPECT_EQ(states[i].done.best_epoch, result.best_epoch);
    EXPECT_EQ(values_of(model), values_of(whole));
  }
}

/// Training that grows all trees twice, resumed after each round of both times.
TEST(BoostingCheckpointsTest, ResumesRegrowingToTheSameBits) {
  const BoostingData data;
  const std::string options = "{epochs: 8, batch_size: 256}";
  const std::string trees =
      "{type: boosted_trees, rounds: 4, leaves: 8, min_child_weight: 0.01, subsample: 0.7, "
      "columns: 0.5, regrow: true}";
  const testing::LossVariant loss{"", "dla", "{}"};
  const TrainableModel whole = with_trees(loss, data.setting(), trees);
  const Fit straight(whole, data.dataset.train, 1, options);
  std::vector<TrainingState> states;
  std::vector<Kept> kept;
  TrainingObserver observer;
  observer.state = [&](const TrainingState& state) {
    states.push_back(state);
    kept.push_back(kept_of(whole));
  };
  train_model(whole, *straight.fitter, straight.options, data.dataset, 1, observer);
  ASSERT_GT(states.size(), 8u) << "also in the middle of epochs";
  for (std::size_t i = 0; i < states.size(); ++i) {
    SCOPED_TRACE(i);
    const TrainableModel model = with_trees(loss, data.setting(), trees);
    const Fit resumed(model, data.dataset.train, 3, options);
    assign_kept(model, kept[i]);
    train_model(model, *resumed.fitter, resumed.options, data.dataset, 3, {}, states[i]);
    EXPECT_EQ(states[i].done.epochs.size(), 8u);
    EXPECT_EQ(values_of(model), values_of(whole));
  }
}

}  // namespace
}  // namespace ultr::boosting_checkpoints_test
