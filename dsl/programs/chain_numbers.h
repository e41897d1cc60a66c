#pragma once

#include <optional>
#include <vector>

#include "dsl/chain.h"
#include "dsl/session.h"

namespace ultr {

/// A probability of each document, as the passes over ranks read it: a constant, or a tensor.
struct ChainNumber {
  std::optional<Tensor> tensor{};
  const void* values = nullptr;  // the tensor's, while it has one number per document
  double constant = 0;           // if there are no values
  /// The numbers by pair of positions, if these are known and it depends on an assumed last click.
  std::optional<Tensor> by_pair{};
  const void* pair_values = nullptr;

  bool is_never() const { return !tensor && constant == 0; }
};

/// A move to a state.
struct ChainWay {
  std::size_t to;
  ChainNumber probability;
};

struct ChainStateNumbers {
  bool examines = true;
  ChainNumber examined, not_examined, attracted, not_attracted;
  std::vector<ChainWay> after_click, after_skip;

  bool may_click() const { return examines && !attracted.is_never(); }
  bool may_skip() const { return !not_examined.is_never() || !not_attracted.is_never(); }
};

/// The probabilities of a chain: numbers in the tape's precision, none of which is 0 unless the
/// event is impossible.
class ChainNumbers {
 public:
  /// Records them. The chain must have been made for the session. `assumed_pairs`: the index of
  /// pairs of positions, if the session assumes last clicks.
  ChainNumbers(const Chain& chain, const Session& session,
               std::optional<Index> assumed_pairs = std::nullopt);

  const std::vector<ChainStateNumbers>& states() const { return states_; }
  /// The share of users who start in each state.
  const std::vector<ChainNumber>& start() const { return start_; }
  /// The tensors to read, for Tape::require.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  /// Reads where the tape has their values after a run.
  void read();

 private:
  ChainNumber number(Prob p);
  std::vector<ChainWay> ways(const std::vector<Move>& moves);
  void read(ChainNumber& number) const;

  Tape* tape_;
  std::optional<Index> assumed_pairs_;
  std::vector<ChainStateNumbers> states_;
  std::vector<ChainNumber> start_;  // by state
  std::vector<Tensor> tensors_;
};

}  // namespace ultr
