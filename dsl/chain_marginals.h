#pragma once

#include <optional>
#include <vector>

#include "autograd/tape/partial_replay.h"
#include "dsl/chain.h"
#include "dsl/session.h"

namespace ultr {

/// The probability of an event at each document of a shard, and that of its complement.
struct EventProbabilities {
  std::vector<double> p, complement;
};

/// P(click) and P(examined) of each document, with the clicks above it summed out.
///
/// A pass over ranks moves the share of users in each state. If the machine's probabilities depend
/// on the last click, they are recorded once, for an assumed one. There is then one pass for each
/// rank of the last click: it moves the users who have made no click since, and leaves those who
/// click now to the pass of their rank. Memory is linear in the number of documents.
///
/// Shares are numbers in double precision. Only products and sums of positive numbers are formed,
/// so nothing cancels and complements are exact. A share below the smallest number is that number,
/// so that only impossible events have probability 0.
class ChainMarginals {
 public:
  /// Records the machine's probabilities. The session must assume last clicks, and the chain must
  /// have been made for this session.
  ChainMarginals(const Chain& chain, const Session& session);

  /// The tensors that the pass reads, for Tape::require.
  const std::vector<Tensor>& inputs() const { return tensors_; }
  /// Computes the marginals after the tape has run on the shard.
  void run(const Shard& shard);
  const EventProbabilities& click() const { return click_; }
  const EventProbabilities& examination() const { return examination_; }
  /// Returns the bytes that a full shard takes.
  std::size_t memory(std::size_t longest) const;

 private:
  /// A probability of each document: a constant, or a tensor.
  struct Number {
    std::optional<Tensor> tensor{};
    const void* values = nullptr;  // the tensor's, while it has one number per document
    double constant = 0;           // if there are no values
  };
  struct Way {
    std::size_t to;
    Number probability;
  };
  struct StateNumbers {
    bool examines = true;
    Number examined, not_examined, attracted, not_attracted;
    std::vector<Way> after_click, after_skip;
  };
  /// The share of users in each state, in one session after the other, and the states that users
  /// may be in.
  struct Users {
    std::vector<std::vector<double>> share;  // by state
    std::vector<bool> possible;
  };

  Number number(Prob p);
  std::vector<Way> ways(const std::vector<Move>& moves);
  void read(Number& number) const;
  void read_numbers();
  void start(const Shard& shard);
  template <class T>
  void pass(const Shard& shard, std::size_t first);
  template <class T>
  void step(const Shard& shard, std::size_t rank);

  ShardInputs& inputs_;
  bool last_click_matters_ = false;
  std::optional<Index> last_clicks_;
  std::vector<StateNumbers> states_;
  std::vector<Number> start_;  // by state
  std::vector<bool> may_start_;
  std::vector<Tensor> tensors_;
  std::optional<PartialReplay> replay_;
  Users users_, moved_;
  std::vector<Users> clicked_;  // by rank of the click
  EventProbabilities click_, examination_;
};

}  // namespace ultr
