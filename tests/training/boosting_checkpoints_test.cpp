#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

/// Training to its end, with all that checkpoints would have kept on the way.
class NotedTraining {
 public:
  NotedTraining(testing::LossVariant loss, std::string trees, std::string options)
      : loss_(std::move(loss)),
        trees_(std::move(trees)),
        options_(std::move(options)),
        model_(with_trees(loss_, data_.setting(), trees_)) {
    const Fit fit(model_, data_.dataset.train, 1, options_);
    TrainingObserver observer;
    observer.state = [&](const TrainingState& state) {
      states_.push_back(state);
      kept_.push_back(kept_of(model_));
    };
    result_ = train_model(model_, *fit.fitter, fit.options, data_.dataset, 1, observer);
  }

  const TrainableModel& model() const { return model_; }
  const TrainingResult& result() const { return result_; }
  /// The number of times that training could have stopped, also in the middle of epochs.
  std::size_t stops() const { return states_.size(); }
  /// Resumes training from a stop, expects the same bits, and returns what was done in all.
  TrainingResult resume(std::size_t stop) const {
    const TrainableModel model = with_trees(loss_, data_.setting(), trees_);
    const Fit fit(model, data_.dataset.train, 3, options_);
    assign_kept(model, kept_[stop]);
    TrainingState state = states_[stop];
    train_model(model, *fit.fitter, fit.options, data_.dataset, 3, {}, state);
    EXPECT_EQ(values_of(model), values_of(model_)) << "stop " << stop;
    return state.done;
  }

 private:
  BoostingData data_;
  testing::LossVariant loss_;
  std::string trees_, options_;
  TrainableModel model_;
  std::vector<TrainingState> states_;
  std::vector<Kept> kept_;
  TrainingResult result_;
};

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

/// Training that overfits after its best round, resumed after each step, also after the best round.
TEST(BoostingCheckpointsTest, ResumesEarlyStoppingToTheSameBits) {
  const NotedTraining whole(
      {"", "two_tower", "{}"},
      "{type: boosted_trees, rounds: 6, learning_rate: 1, min_child_weight: 0.001, lambda: 0.001, "
      "subsample: 0.3, columns: 0.5}",
      "{epochs: 6, batch_size: 256, early_stopping: 2}");
  const std::int64_t best = whole.result().best_epoch;
  ASSERT_LT(best, static_cast<std::int64_t>(whole.result().epochs.size()));
  ASSERT_EQ(tree_towers(whole.model())[0]->trees().size(), static_cast<std::size_t>(best));
  for (std::size_t i = 0; i < whole.stops(); ++i) EXPECT_EQ(whole.resume(i).best_epoch, best) << i;
}

/// Training that grows all trees twice, resumed after each step of both times.
TEST(BoostingCheckpointsTest, ResumesRegrowingToTheSameBits) {
  const NotedTraining whole(
      {"", "dla", "{}"},
      "{type: boosted_trees, rounds: 4, leaves: 8, min_child_weight: 0.01, subsample: 0.7, "
      "columns: 0.5, regrow: true}",
      "{epochs: 8, batch_size: 256}");
  ASSERT_GT(whole.stops(), 8u) << "also in the middle of epochs";
  for (std::size_t i = 0; i < whole.stops(); ++i) EXPECT_EQ(whole.resume(i).epochs.size(), 8u) << i;
}

}  // namespace
}  // namespace ultr::boosting_checkpoints_test
