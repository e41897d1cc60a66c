#include "losses/losses.h"

namespace ultr {

const std::vector<ModelType>& ranking_losses() {
  static const std::vector<ModelType> losses = {
      model_type<NaiveLoss>("naive", "A ranking loss on clicks as they are."),
      model_type<TwoTowerLoss>("two_tower",
                               "Two towers: the logits of relevance and position add up."),
      model_type<BackdoorLoss>("backdoor",
                               "Two towers whose bias is freed from the logging policy's part."),
      model_type<PositionBasedLoss>("pbm", "Position-based model: examination times relevance."),
      model_type<RegressionEmLoss>(
          "regression_em",
          "Cross-entropy with posteriors of examination and relevance as targets."),
      model_type<InversePropensityLoss>("ips",
                                        "Clicks weighted by the inverse of given propensities."),
      model_type<DualLearningLoss>(
          "dla", "Softmax losses of relevance and examination that weight each other's clicks."),
      model_type<LoggingPolicyWeightsLoss>(
          "logging_policy_weights",
          "Documents weighted by the inverse of how often their positions show them."),
      model_type<PairwiseDebiasLoss>("pairwise_debias",
                                     "Pairs divided by learned ratios of their positions."),
  };
  return losses;
}

}  // namespace ultr
