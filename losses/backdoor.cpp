#include "losses/backdoor.h"

#include "autograd/arithmetic.h"
#include "autograd/gather.h"
#include "autograd/logspace.h"
#include "dsl/model_options.h"
#include "losses/dual_learning.h"
#include "losses/pointwise.h"
#include "losses/softmax.h"
#include "losses/two_tower.h"

namespace ultr {

class BackdoorLoss::EstimateStage final : public RankingLoss {
 public:
  explicit EstimateStage(const BackdoorLoss& of) : RankingLoss(of.estimated_relevance_), of_(of) {}

  Tensor loss(const Lists& lists) const override {
    const Tensor r = scores(lists), e = lists.logits(of_.estimated_examination_);
    return of_.by_dual_learning_ ? dual_learning_loss(r, e, lists.targets(), lists.segments(),
                                                      lists.first_documents(), usual_largest_weight)
                                 : pointwise_loss(r + e, lists.targets(), lists.segments());
  }

  std::optional<Examination> story(const Session& session) const override {
    if (of_.by_dual_learning_) return std::nullopt;
    return additive_clicks(session, score(session), of_.estimated_examination_.logit(session));
  }
  bool predicts_clicks() const override { return !of_.by_dual_learning_; }

  /// The estimated examination ê of each document, as constants.
  static Tensor examination(const BackdoorLoss& of, const Lists& lists) {
    const Tensor e = lists.frozen_logits(of.estimated_examination_);
    if (!of.by_dual_learning_) return sigmoid(e);
    const Tensor log_ratio = e - take(e, lists.first_documents());
    return exp(minimum(log_ratio, lists.tape().constant(0)));
  }

 private:
  const BackdoorLoss& of_;
};

class BackdoorLoss::PolicyStage final : public RankingLoss {
 public:
  explicit PolicyStage(const BackdoorLoss& of) : RankingLoss(of.policy_), of_(of) {}

  Tensor loss(const Lists& lists) const override {
    return softmax_loss(scores(lists), lists.at_positions(of_.reciprocal_positions_),
                        lists.segments());
  }

 private:
  const BackdoorLoss& of_;
};

class BackdoorLoss::BiasStage final : public RankingLoss {
 public:
  explicit BiasStage(const BackdoorLoss& of) : RankingLoss(of.policy_), of_(of) {}

  Tensor loss(const Lists& lists) const override {
    return pointwise_loss(lists.logits(of_.examination_) + lists.logits(of_.policy_effect_),
                          EstimateStage::examination(of_, lists), lists.segments());
  }

 private:
  const BackdoorLoss& of_;
};

BackdoorLoss::BackdoorLoss(ModelBuilder& build)
    : RankingLoss(build),
      by_dual_learning_(build.word("estimate", "two_tower", {"two_tower", "dla"},
                                   "Method that estimates the confounded examination.") == "dla"),
      estimated_relevance_(build.parameter("estimated_relevance", Domain::document,
                                           "Relevance logit learned together with that estimate.")),
      estimated_examination_(build.parameter("estimated_examination", Domain::rank,
                                             "Logit of the estimated examination of each rank.")),
      policy_(build.parameter("policy", Domain::document,
                              "Score that the logging policy ranks by; a tower, such as mlp.",
                              ClickEffect::none)),
      examination_(build.parameter("examination", Domain::rank,
                                   "Bias logit of each rank, e, without the policy's effect.")),
      policy_effect_(build.weighted_representation("policy_effect", Domain::document, policy_)) {
  const ModelSetting* setting = build.setting();
  if (setting == nullptr) return;
  for (std::int64_t k = 1; k <= setting->positions; ++k)
    reciprocal_positions_.push_back(1 / static_cast<double>(k));
}

std::vector<TrainingStage> BackdoorLoss::stages() const {
  return {
      {"estimate",
       std::make_shared<EstimateStage>(*this),
       {estimated_relevance_.name(), estimated_examination_.name()}},
      {"policy", std::make_shared<PolicyStage>(*this), {policy_.name()}},
      {"bias", std::make_shared<BiasStage>(*this), {examination_.name(), policy_effect_.name()}}};
}

Tensor BackdoorLoss::loss(const Lists& lists) const {
  return pointwise_loss(scores(lists) + lists.frozen_logits(examination_), lists.targets(),
                        lists.segments());
}

std::optional<Examination> BackdoorLoss::story(const Session& session) const {
  return additive_clicks(session, score(session), examination_.logit(session));
}

}  // namespace ultr
