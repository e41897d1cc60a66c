#pragma once

#include <optional>

#include "models/prob.h"
#include "models/shard_inputs.h"

namespace ultr {

/// A search session as a story sees it: symbolic. It offers what parameters depend on, but no click
/// and no id, which would be frozen into the recorded program.
class Session final : public Inputs {
 public:
  /// A session with its observed clicks.
  Session(ShardInputs& inputs, ProbGraph& probabilities)
      : inputs_(&inputs), probabilities_(&probabilities) {}

  /// The same session if the last click had been at rank k (0-based), or nowhere (nullopt).
  Session with_last_click(std::optional<std::size_t> rank) const;

  Prob always() const { return probabilities_->always(); }
  Prob never() const { return probabilities_->never(); }

  // For the engine and for parameters -------------------------------------------------------------

  Tape& tape() const override { return inputs_->tape(); }
  Index index(Domain domain) const override;
  /// The coin whose logits a layer gives, recorded once however often it is asked for.
  Prob probability(const LogitLayer& layer, const std::string& name) const;
  ShardInputs& inputs() const { return *inputs_; }
  ProbGraph& probabilities() const { return *probabilities_; }
  /// Whether anything asked for the last click so far.
  bool last_click_was_used() const { return last_click_used_; }

 private:
  ShardInputs* inputs_;
  ProbGraph* probabilities_;
  bool assumed_ = false;
  std::optional<std::size_t> last_click_;
  mutable bool last_click_used_ = false;
};

}  // namespace ultr
