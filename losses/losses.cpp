#include "losses/losses.h"

namespace ultr {

const std::vector<ModelType>& ranking_losses() {
  static const std::vector<ModelType> losses = {
      model_type<NaiveLoss>("naive", "A ranking loss on raw clicks, without bias correction."),
      model_type<TwoTowerLoss>("two_tower",
                               "Two towers: the logits of relevance and position add up."),
      model_type<BackdoorLoss>(
          "backdoor", "Two towers whose bias is adjusted for the effect of the logging policy."),
      model_type<PositionBasedLoss>("pbm", "Position-based model: examination times relevance."),
      model_type<RegressionEmLoss>(
          "regression_em",
          "Cross-entropy with the posteriors of examination and relevance as targets."),
      model_type<InversePropensityLoss>(
          "ips", "Clicks weighted by inverse propensities from a file or an estimator."),
      model_type<AffineLoss>("affine",
                             "Clicks corrected for position and trust bias by an affine function."),
      model_type<DoublyRobustLoss>(
          "doubly_robust",
          "Predicted relevance plus what clicks differ from it, corrected for their bias."),
      model_type<DualLearningLoss>(
          "dla", "Softmax losses of relevance and examination that weight each other's clicks."),
      model_type<LoggingPolicyWeightsLoss>(
          "logging_policy_weights",
          "Documents weighted by the inverse probability of being shown where they are."),
      model_type<PairwiseDebiasLoss>(
          "pairwise_debias",
          "A pairwise loss whose pairs are divided by learned ratios of their positions."),
      model_type<DistillLoss>("distill",
                              "Distillation: the relevance scores of a trained run are learned."),
  };
  return losses;
}

}  // namespace ultr
