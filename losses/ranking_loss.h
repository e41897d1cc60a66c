#pragma once

#include <optional>
#include <string>

#include "losses/lists.h"
#include "models/click_model.h"

namespace ultr {

/// A loss that a ranker is trained with: its forward formula, from the logits of a parameter
/// `relevance` that every loss has, and of others. It is trained like a click model, and is one
/// where it says how clicks come about.
class RankingLoss : public ClickModel {
 public:
  /// What training minimises, of each list, or what is evaluated in its place (see
  /// Lists::in_training): [lists]. Sums over documents or pairs, never means.
  virtual Tensor loss(const Lists& lists) const = 0;
  /// How likely a document is examined, and clicked if it is; nothing if the loss does not say.
  /// Overridden together with `predicts_clicks`.
  virtual std::optional<Examination> story(const Session&) const { return std::nullopt; }

  bool predicts_clicks() const override { return false; }
  Targets targets() const override { return Targets::rates; }
  bool reads_down_the_list() const final { return false; }
  /// σ(relevance).
  Prob relevance(const Session& session) const override { return relevance_(session); }
  std::optional<Tensor> objective(const Session& session, Impossible) const final;
  /// Documents that are clicked independently. Throws Error if the loss predicts no clicks.
  Chain chain(const Session& session) const final;
  bool maximises_likelihood() const override { return false; }

 protected:
  /// Declares the parameter `relevance`.
  explicit RankingLoss(ModelBuilder& build);
  /// A stage of another loss, which ranks by a parameter of that one.
  explicit RankingLoss(LogitParameter relevance) : relevance_(std::move(relevance)) {}

  /// The logits of relevance.
  Tensor scores(const Lists& lists) const { return lists.logits(relevance_); }
  Logit score(const Session& session) const { return relevance_.logit(session); }

 private:
  LogitParameter relevance_;
};

}  // namespace ultr
