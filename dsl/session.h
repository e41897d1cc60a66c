#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/prob.h"
#include "dsl/shard_inputs.h"

namespace ultr {

/// The last click above a document, on which a story may depend.
enum class LastClick : std::uint8_t {
  observed,  // that of the log: for likelihoods, and predictions given the clicks above
  assumed,   // that of ShardInputs::assume_last_clicks: for marginals and sampling
};

/// A search session as a story sees it: symbolic. It offers whatever parameters depend on, but no
/// click and no id, because these would be frozen into the recorded program.
class Session final : public Inputs {
 public:
  Session(ShardInputs& inputs, ProbGraph& probabilities, LastClick last_click = LastClick::observed)
      : inputs_(&inputs), probabilities_(&probabilities), last_click_(last_click) {}

  Prob always() const { return probabilities_->always(); }
  Prob never() const { return probabilities_->never(); }

  // For the engine and for parameters -------------------------------------------------------------

  Tape& tape() const override { return inputs_->tape(); }
  Index index(Domain domain) const override;
  Tensor features(Domain domain) const override { return inputs_->features(domain); }
  Tensor scores(const FeatureScorer& scorer) const override { return inputs_->scores(scorer); }
  Tensor sequence_values(const SequenceEncoder& encoder,
                         std::optional<Index> noise) const override {
    return inputs_->sequence_values(encoder, noise);
  }
  std::optional<Index> noise() const override { return inputs_->noise(); }
  /// Returns the coin whose logits a layer computes. It is recorded once, however often it is asked
  /// for.
  Prob probability(const LogitLayer& layer, const std::string& name) const;
  /// Returns the shares of alternatives whose logits a layer of Domain::alternative computes. They
  /// are recorded once.
  std::vector<Prob> alternatives(const LogitLayer& layer, const std::string& name,
                                 std::size_t count) const;
  ShardInputs& inputs() const { return *inputs_; }
  ProbGraph& probabilities() const { return *probabilities_; }
  /// True if the story has asked for the last click so far.
  bool last_click_was_used() const { return last_click_used_; }

 private:
  ShardInputs* inputs_;
  ProbGraph* probabilities_;
  LastClick last_click_;
  mutable bool last_click_used_ = false;
};

}  // namespace ultr
