#include "losses/losses.h"

namespace ultr {

const std::vector<ModelType>& ranking_losses() {
  static const std::vector<ModelType> losses = {
      model_type<NaiveLoss>("naive", "A ranking loss on clicks as they are."),
      model_type<TwoTowerLoss>("two_tower",
                               "Two towers: the logits of relevance and position add up."),
      model_type<PositionBasedLoss>("pbm", "Position-based model: examination times relevance."),
  };
  return losses;
}

}  // namespace ultr
