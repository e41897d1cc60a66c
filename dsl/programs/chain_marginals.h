#pragma once

#include <optional>
#include <vector>

#include "autograd/tape/partial_replay.h"
#include "dsl/programs/chain_numbers.h"
#include "dsl/programs/event_probabilities.h"

namespace ultr {

/// P(click) and P(examined) of each document, with the clicks above it summed out.
///
/// A pass over ranks moves the share of users in each state, two registers of sessions at a time.
/// If the machine's probabilities depend on the last click, there are such shares for each rank of
/// it. If all sessions show position k at rank k, and what depends on the last click is known by
/// pair of positions, the pass reads it from there, the same number for all sessions.
///
/// Otherwise, probabilities are recorded once, for an assumed last click. There is then one pass
/// for each rank of the last click: it moves the users who have made no click since, and leaves
/// those who click now to the pass of their rank. Memory is linear in the number of documents.
///
/// Shares are numbers in the tape's precision. They are in double precision if they become too
/// small for that of a float, and in a pass for each last click. Only products and sums of positive
/// numbers are formed, so nothing cancels and complements are exact. A share below the smallest
/// number is that number, so that only impossible events have probability 0.
class ChainMarginals {
 public:
  /// Records the machine's probabilities. The session must assume last clicks, and the chain must
  /// have been made for this session. `positions`: the positions that the model knows.
  ChainMarginals(const Chain& chain, const Session& session, std::size_t positions,
                 EventOutput click = {}, EventOutput examination = {});

  /// The tensors that the pass reads, for Tape::require.
  const std::vector<Tensor>& inputs() const { return numbers_.tensors(); }
  /// Computes the marginals after the tape has run on the shard.
  void run(const Shard& shard);
  const EventProbabilities& click() const { return click_; }
  const EventProbabilities& examination() const { return examination_; }
  /// Returns the bytes that a full shard takes.
  std::size_t memory(std::size_t longest) const;

 private:
  /// The share of users in each state, in one session after the other, and the states that users
  /// may be in.
  struct Users {
    std::vector<std::vector<double>> share;  // by state
    std::vector<bool> possible;
  };

  template <class T>
  void run_in_registers(const Shard& shard);
  bool pairs_suffice();
  template <class T>
  void run_by_last_click(const Shard& shard);
  void start(const Shard& shard);
  template <class T>
  void pass(const Shard& shard, std::size_t first);
  template <class T>
  void step(const Shard& shard, std::size_t rank);

  ShardInputs& inputs_;
  std::size_t positions_;
  bool last_click_matters_ = false;
  std::optional<Index> last_clicks_;
  ChainNumbers numbers_;
  std::vector<bool> may_start_;
  std::optional<PartialReplay> replay_;
  std::optional<bool> pairs_suffice_;
  Users users_, moved_;
  std::vector<Users> clicked_;  // by rank of the click
  EventProbabilities click_, examination_;
};

}  // namespace ultr
