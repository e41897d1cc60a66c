#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "data/features/boosted_trees.h"
#include "layers/tree_tower.h"
#include "training/fitter.h"
#include "training/score_slopes.h"

namespace ultr {

/// Returns the layers of a model that are boosted trees.
std::vector<TreeTower*> tree_towers(const TrainableModel& model);

/// Throws ConfigError if the options of a tower name a feature that the features do not have.
void check_tree_options(const TrainableModel& model, const FeatureTable& features);

/// A fitter for models with boosted trees. A pass is one boosting round: the slopes and bounds on
/// second derivatives of the loss of all training sessions in the logits of the trees
/// (ScoreSlopes), then one tree per tower, then a pass of another fitter over the parameters that
/// are no trees, which holds the trees constant.
///
/// With `regrow`, the trees are removed after the last round and grown once more, while the other
/// parameters stay as they were learned. The first trees fit weights of clicks that are not learned
/// yet, and no later tree removes what they added. If there are no other parameters, nothing is
/// grown twice.
///
/// Validation chooses a round unless its losses cannot be compared between rounds: those of losses
/// whose weights drift, and those before and after trees are grown anew.
///
/// A tower's tree is a function of the seed, the number of the round and the parameters, so rounds
/// are bit-identical on any number of threads and after resuming.
class BoostingFitter final : public Fitter {
 public:
  using MakeFitter = std::function<std::unique_ptr<Fitter>(const FitSetting&)>;

  /// `make` makes the fitter of the parameters that are no trees. Throws ConfigError if several
  /// processes train the model, towers disagree about `regrow`, or training ends before the last
  /// round.
  BoostingFitter(const FitSetting& setting, const MakeFitter& make);

  PassResult pass(std::int64_t epoch, const std::function<void(std::size_t)>& progress) override;
  FitProgress progress() const override;
  void resume(const FitProgress& progress) override;
  bool finished() const override;
  bool ends_by_itself() const override { return !why_validation_is_ignored().empty(); }
  std::string why_validation_is_ignored() const override;

 private:
  /// A tower with what grows its trees.
  struct Growing {
    TreeTower* tower;
    TreeGrower grower;
  };
  /// Finds the documents of the training sessions. Nothing is allocated before the first round.
  void prepare();
  /// Grows the tree of a round of each tower.
  void grow(std::int64_t round);
  bool are_all_grown() const;

  FitSetting setting_;
  std::vector<TreeTower*> towers_;
  std::unique_ptr<TrainableModel>
      others_;                      // the model without trees; null if there is nothing else
  std::unique_ptr<Fitter> fitter_;  // of others_
  std::unique_ptr<ScoreSlopes> slopes_;
  std::vector<std::uint32_t> rows_;  // of features, ascending, that training sessions show
  std::vector<Growing> growing_;
  std::int64_t rounds_ = 0;          // that were done, if there are no others
  std::int64_t growing_rounds_ = 0;  // rounds in which all trees are grown once
  bool regrows_ = false;
};

}  // namespace ultr
