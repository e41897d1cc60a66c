#pragma once

#include <span>

#include "models/click_model.h"

namespace ultr {

/// What a ranking loss sees of a batch: its lists one after the other, documents from the top. All
/// vectors have one number a document, in that order.
class Lists {
 public:
  explicit Lists(const Session& session) : session_(session), inputs_(session.inputs().lists()) {}

  /// Which documents are whose.
  Segments segments() const { return inputs_.segments(); }
  /// What to learn from: clicks as 0 or 1, or what the log has in their place (SessionView's
  /// targets).
  Tensor targets() const { return inputs_.targets(); }
  /// Of each document, the number of the first that its list shows.
  Index first_documents() const { return inputs_.first_documents(); }
  /// The logging policy's probability of showing each document at its position. The log must have
  /// them (see SessionView).
  Tensor propensities() const { return inputs_.propensities(); }
  /// What has a number a document in the order of the shard.
  Tensor in_list_order(Tensor by_rank) const;
  /// A parameter's logits.
  Tensor logits(const LogitParameter& parameter) const;
  /// The same as a constant, of what an earlier stage has trained: without dropout, and no gradient
  /// passes.
  Tensor frozen_logits(const LogitParameter& parameter) const;
  /// A number for each displayed position, by 0-based position; as many as the model knows.
  Tensor at_positions(std::span<const double> numbers) const;

  /// Whether this is what training minimises, not what is evaluated.
  bool in_training() const { return session_.noise().has_value(); }
  const Session& session() const { return session_; }
  Tape& tape() const { return session_.tape(); }

 private:
  Tensor in_list_order(const Logits& logits) const;

  const Session& session_;
  ListInputs& inputs_;
};

}  // namespace ultr
