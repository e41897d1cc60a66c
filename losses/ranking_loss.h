#pragma once

#include <optional>
#include <string>

#include "autograd/ops/arithmetic.h"
#include "base/error.h"
#include "dsl/click_model.h"
#include "losses/lists.h"

namespace ultr {

/// A loss that a ranker is trained with: its forward formula, from the logits of a parameter
/// `relevance`, which every loss has, and of other parameters. It is trained like a click model. If
/// it has a story of how clicks come about, it also is one.
class RankingLoss : public ClickModel {
 public:
  /// The loss of each list that training minimises, or that is evaluated in its place (see
  /// Lists::in_training): [lists]. Sums over documents or pairs, never means.
  virtual Tensor loss(const Lists& lists) const = 0;
  /// Bounds on the second derivatives of each list's loss in the scores (see
  /// ClickModel::curvature): [documents]. Empty if the loss states none.
  virtual std::optional<Tensor> score_curvature(const Lists&) const { return std::nullopt; }
  /// The probability that a document is examined, and that it is clicked if it is. Empty if the
  /// loss does not predict clicks. Override it together with `predicts_clicks`.
  virtual std::optional<Examination> story(const Session&) const { return std::nullopt; }

  bool predicts_clicks() const override { return false; }
  Targets targets() const override { return Targets::rates; }
  bool reads_down_the_list() const final { return false; }
  /// σ(relevance).
  Prob relevance(const Session& session) const override { return relevance_(session); }
  std::optional<Tensor> objective(const Session& session, Impossible) const final {
    return -loss(Lists(session));
  }
  std::optional<Tensor> curvature(const Session& session, const LogitLayer& layer) const final {
    if (&layer != relevance_.layer().get()) return std::nullopt;
    return score_curvature(Lists(session));
  }
  /// Independent clicks by the story. Throws Error if the loss does not predict clicks.
  Chain chain(const Session& session) const final {
    const auto clicks = story(session);
    if (!clicks) throw Error("the loss does not predict clicks; expected one that does");
    return independent_clicks(*clicks, session);
  }
  bool maximises_likelihood() const override { return false; }
  /// True if the loss is a likelihood of clicks whose documents have constant weights. Evaluation
  /// then reports the weighted loss. Other losses that predict clicks are evaluated by likelihood,
  /// because their own may not be comparable between epochs.
  virtual bool weights_likelihood() const { return false; }
  /// True if the loss weights clicks by what it learns itself, so that its values after different
  /// epochs cannot be compared.
  virtual bool weights_drift() const { return false; }

 protected:
  /// Declares the parameter `relevance`.
  explicit RankingLoss(ModelBuilder& build)
      : relevance_(build.parameter("relevance", Domain::document,
                                   "Relevance logit of each query-document pair, r.")) {}
  /// For a stage of another loss, which ranks by one of that loss's parameters.
  explicit RankingLoss(LogitParameter relevance) : relevance_(std::move(relevance)) {}

  /// The logits of relevance.
  Tensor scores(const Lists& lists) const { return lists.logits(relevance_); }
  Logit score(const Session& session) const { return relevance_.logit(session); }

 private:
  LogitParameter relevance_;
};

}  // namespace ultr
