#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/prob.h"
#include "models/session.h"

namespace ultr {

/// Where a user goes after a document: to a state, with a probability.
struct Move {
  std::size_t to;
  Prob probability;
  /// From rank k (0-based) to the state number to + k: there is one for each rank.
  bool plus_rank = false;

  std::size_t target(std::size_t rank) const { return plus_rank ? to + rank : to; }
};

/// What a user does at a document when in a state: examines it with a probability, finds it
/// attractive with another, clicks if both, and moves on. Probabilities are per document, so one
/// state serves all ranks.
struct State {
  Prob examination, attraction;
  std::vector<Move> after_click, after_skip;  // probabilities of each sum to 1
};

/// A click model as a finite-state machine over the ranks of a list. The user starts in state 0,
/// or, where `start` has entries, in one of theirs, whose probabilities are one for all documents
/// and sum to 1.
///
/// All that a model offers comes from forward passes over ranks with a log-space mass for each
/// state: P(in the state, clicks so far). They need no division and no posterior, and they stay
/// exact where recursions over posteriors divide by a vanishing 1 - γε.
struct Chain {
  std::vector<State> states;
  std::vector<Move> start = {};
};

/// The machine of users who choose, once a session, one of several machines.
Chain mixture(std::span<const Prob> shares, std::vector<Chain> chains);

/// P(click | clicks above) of each document, of a machine with a single state: its clicks depend on
/// nothing but what the state's probabilities do. Nothing for other machines.
std::optional<Prob> memoryless_click(const Chain& chain);

/// What an impossible click (a second one under the cascade model) is worth in training and
/// metrics: log 1e-8.
inline constexpr double min_log_prob = -18.420680743952367;

/// What a click does that the model holds for impossible.
enum class Impossible : std::uint8_t {
  exact,   // the likelihood of the session is 0
  scored,  // it scores min_log_prob, has gradient 0 and leaves the user's state as it was
};

/// log P(clicks) of each session of the shard, longest list first: [sessions].
Tensor chain_log_likelihood(const Chain& chain, const Session& session, Impossible rule);
/// P(click | clicks above) of each document. An impossible click above leaves the user's state as
/// it was.
Prob chain_conditional(const Chain& chain, const Session& session);
/// What happens at each document, whatever happens above.
struct Marginals {
  Prob click, examination;
};
Marginals chain_marginals(const Chain& chain, const Session& session);

/// Σ over the documents of each session: [documents] (or a scalar for every document) ->
/// [sessions].
Tensor sum_over_ranks(Tensor per_document, const Session& session);

}  // namespace ultr
