#pragma once

#include "data/log/shard.h"
#include "dsl/programs/chain_numbers.h"
#include "dsl/programs/event_probabilities.h"

namespace ultr {

/// P(click | clicks above) of each document.
///
/// A pass over ranks moves the share of users in each state, given the clicks so far, two registers
/// of sessions at a time. Shares are numbers in the tape's precision, or in double precision if
/// they become too small for that of a float. Only products, sums and quotients of positive numbers
/// are formed, so nothing cancels and complements are exact. An impossible click above leaves the
/// user's state unchanged.
class ChainConditionals {
 public:
  /// Records the machine's probabilities. The chain must have been made for this session, which
  /// observes last clicks.
  ChainConditionals(const Chain& chain, const Session& session, EventOutput output = {})
      : numbers_(chain, session), click_{.output = output} {}

  /// The tensors that the pass reads, for Tape::require.
  const std::vector<Tensor>& inputs() const { return numbers_.tensors(); }
  /// Computes the probabilities after the tape has run on the shard.
  void run(const Shard& shard, Precision precision);
  const EventProbabilities& click() const { return click_; }
  /// Returns the bytes that a full shard takes.
  static std::size_t memory(std::size_t longest) {
    return 2 * sizeof(double) * shard_sessions * longest;
  }

 private:
  ChainNumbers numbers_;
  EventProbabilities click_;
};

}  // namespace ultr
