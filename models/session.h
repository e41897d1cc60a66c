#pragma once

#include <optional>

#include "models/prob.h"
#include "models/shard_inputs.h"

namespace ultr {

/// What the run of a story knows of the clicks.
enum class Clicks : std::uint8_t {
  observed,  // those of the log: likelihoods, and predictions given the clicks above
  open,      // none: marginals and sampling
};

/// A search session as a story sees it: symbolic. It offers what parameters depend on, but no click
/// and no id, which would be frozen into the recorded program.
class Session final : public Inputs {
 public:
  Session(ShardInputs& inputs, ProbGraph& probabilities, Clicks clicks = Clicks::observed)
      : inputs_(&inputs), probabilities_(&probabilities), clicks_(clicks) {}

  /// Whether the last click above a document is the one in the log; else a story that depends on it
  /// goes through all that it could be, with `with_last_click`.
  bool clicks_are_observed() const { return clicks_ == Clicks::observed; }

  /// The same session if the last click had been at rank k (0-based), or nowhere (nullopt).
  Session with_last_click(std::optional<std::size_t> rank) const;

  Prob always() const { return probabilities_->always(); }
  Prob never() const { return probabilities_->never(); }

  // For the engine and for parameters -------------------------------------------------------------

  Tape& tape() const override { return inputs_->tape(); }
  Index index(Domain domain) const override;
  Tensor features(Domain domain) const override { return inputs_->features(domain); }
  std::optional<Index> noise() const override { return inputs_->noise(); }
  /// The coin whose logits a layer gives, recorded once however often it is asked for.
  Prob probability(const LogitLayer& layer, const std::string& name) const;
  /// The shares of the ways whose logits a layer of Domain::alternative gives, recorded once.
  std::vector<Prob> alternatives(const LogitLayer& layer, const std::string& name,
                                 std::size_t count) const;
  ShardInputs& inputs() const { return *inputs_; }
  ProbGraph& probabilities() const { return *probabilities_; }
  /// Whether anything asked for the last click so far.
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
