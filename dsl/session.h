#pragma once

#include <optional>

#include "dsl/prob.h"
#include "dsl/shard_inputs.h"

namespace ultr {

/// The clicks that are known while a story runs.
enum class Clicks : std::uint8_t {
  observed,  // those of the log: for likelihoods, and predictions given the clicks above
  open,      // none: for marginals and sampling
};

/// A search session as a story sees it: symbolic. It offers whatever parameters depend on, but no
/// click and no id, because these would be frozen into the recorded program.
class Session final : public Inputs {
 public:
  Session(ShardInputs& inputs, ProbGraph& probabilities, Clicks clicks = Clicks::observed)
      : inputs_(&inputs), probabilities_(&probabilities), clicks_(clicks) {}

  /// True if the last click above a document is the one in the log. If false, a story that depends
  /// on it must go through every possible last click, using `with_last_click`.
  bool clicks_are_observed() const { return clicks_ == Clicks::observed; }

  /// Returns this session as if the last click had been at rank k (0-based), or nowhere (nullopt).
  Session with_last_click(std::optional<std::size_t> rank) const;

  Prob always() const { return probabilities_->always(); }
  Prob never() const { return probabilities_->never(); }

  // For the engine and for parameters -------------------------------------------------------------

  Tape& tape() const override { return inputs_->tape(); }
  Index index(Domain domain) const override;
  Tensor features(Domain domain) const override { return inputs_->features(domain); }
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
  Clicks clicks_;
  bool assumed_ = false;
  std::optional<std::size_t> last_click_;
  mutable bool last_click_used_ = false;
};

}  // namespace ultr
