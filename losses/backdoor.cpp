#include "losses/backdoor.h"

#include <algorithm>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/segments.h"
#include "dsl/model_options.h"
#include "layers/position_encoding.h"
#include "losses/dual_learning.h"
#include "losses/lambdarank.h"
#include "losses/logged_order.h"
#include "losses/pointwise.h"
#include "losses/softmax.h"
#include "losses/two_tower.h"

namespace ultr {
namespace {

/// Returns the features of documents at even distances, over which position effects are averaged.
std::vector<double> sampled_features(const FeatureTable& documents) {
  constexpr std::int64_t most = 256;
  const std::int64_t known = documents.rows() - 1, count = std::min(most, known);
  std::vector<double> features;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::span<const float> row = documents.row(1 + i * known / count);
    features.insert(features.end(), row.begin(), row.begin() + documents.relevance_count());
  }
  return features;
}

}  // namespace

class BackdoorLoss::EstimateStage final : public RankingLoss {
 public:
  explicit EstimateStage(const BackdoorLoss& of) : RankingLoss(of.estimated_relevance_), of_(of) {}

  Tensor loss(const Lists& lists) const override {
    const Tensor r = scores(lists), e = lists.logits(of_.estimated_examination_);
    return of_.by_dual_learning_ ? dual_learning_loss(r, e, lists.targets(), lists.segments(),
                                                      lists.first_documents(), usual_largest_weight)
                                 : pointwise_loss(r + e, lists.targets(), lists.segments());
  }

  std::optional<Tensor> score_curvature(const Lists& lists) const override {
    const Tensor r = scores(lists), e = lists.logits(of_.estimated_examination_);
    return of_.by_dual_learning_
               ? dual_learning_curvature(r, e, lists.targets(), lists.segments(),
                                         lists.first_documents(), lists.list_numbers(),
                                         usual_largest_weight)
               : pointwise_curvature(r + e);
  }

  std::optional<Examination> story(const Session& session) const override {
    if (of_.by_dual_learning_) return std::nullopt;
    return additive_clicks(session, score(session), of_.estimated_examination_.logit(session));
  }
  bool predicts_clicks() const override { return !of_.by_dual_learning_; }

 private:
  const BackdoorLoss& of_;
};

class BackdoorLoss::BiasStage final : public RankingLoss {
 public:
  explicit BiasStage(const BackdoorLoss& of) : RankingLoss(of.policy_), of_(of) {}

  Tensor loss(const Lists& lists) const override {
    const Tensor e = lists.frozen_logits(of_.estimated_examination_);
    const Tensor target =
        of_.reproduces_propensities_ ? exp(e - take(e, lists.first_documents())) : e;
    return attention_rank_loss(lists.logits(of_.position_encoding_), target, lists.segments());
  }

 private:
  const BackdoorLoss& of_;
};

BackdoorLoss::BackdoorLoss(ModelBuilder& build)
    : RankingLoss(build),
      by_dual_learning_(build.word("estimate", "two_tower", {"two_tower", "dla"},
                                   "Method that estimates the confounded examination.") == "dla"),
      reproduces_propensities_(
          build.word(
              "target", "logit", {"logit", "propensity"},
              "Form of the estimated examination that the bias stage reproduces: its logits, "
              "or propensities relative to the first document of the list.") == "propensity"),
      base_(build.word("base", "pointwise", {"pointwise", "softmax", "lambdarank"},
                       "Loss of the last stage, on clicks and r + s.")),
      estimated_relevance_(build.parameter("estimated_relevance", Domain::document,
                                           "Relevance logit learned together with that estimate.")),
      estimated_examination_(build.parameter("estimated_examination", Domain::rank,
                                             "Logit of the estimated examination of each rank.")),
      policy_(build.parameter("policy", Domain::document,
                              "Score that the logging policy ranks by; a tower, such as mlp.",
                              ClickEffect::none)),
      position_encoding_(build.position_encoding("position_encoding", policy_)) {
  const ModelSetting* setting = build.setting();
  if (setting == nullptr) return;
  positions_ = setting->positions;
  const bool lists_have_features = setting->train != nullptr && !setting->train->features().empty();
  const FeatureTable& documents =
      lists_have_features ? setting->train->features() : setting->features;
  const auto encoding =
      std::static_pointer_cast<const PositionEncoding>(position_encoding_.layer());
  examination_ = {"examination",
                  encoding->encodes_features()
                      ? std::make_shared<MeanPositionEncoding>(
                            encoding, sampled_features(documents), documents.relevance_count())
                      : std::make_shared<MeanPositionEncoding>(encoding, std::vector<double>(), 0)};
}

std::vector<TrainingStage> BackdoorLoss::stages() const {
  return {{"estimate",
           std::make_shared<EstimateStage>(*this),
           {estimated_relevance_.name(), estimated_examination_.name()}},
          {"policy", std::make_shared<LoggedOrderLoss>(policy_, positions_), {policy_.name()}},
          {"bias", std::make_shared<BiasStage>(*this), {position_encoding_.name()}}};
}

Tensor BackdoorLoss::loss(const Lists& lists) const {
  const Tensor scored = scores(lists) + lists.frozen_logits(position_encoding_);
  if (base_ == "softmax") return softmax_loss(scored, lists.targets(), lists.segments());
  if (base_ == "lambdarank")
    return lambdarank_loss(scored, lists.targets(), lists.segments(), true);
  return pointwise_loss(scored, lists.targets(), lists.segments());
}

std::optional<Tensor> BackdoorLoss::score_curvature(const Lists& lists) const {
  const Tensor scored = scores(lists) + lists.frozen_logits(position_encoding_),
               clicks = lists.targets();
  const Segments segments = lists.segments();
  if (base_ == "softmax") return softmax_curvature(scored, clicks, segments, lists.list_numbers());
  if (base_ == "lambdarank")
    return lambdarank_curvature(scored, clicks, segments, lists.list_numbers(), true,
                                lambdarank_weights(scored, clicks, segments));
  return pointwise_curvature(scored);
}

std::optional<Examination> BackdoorLoss::story(const Session& session) const {
  if (!predicts_clicks()) return std::nullopt;
  return additive_clicks(session, score(session), position_encoding_.logit(session));
}

}  // namespace ultr
