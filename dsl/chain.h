#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dsl/prob.h"
#include "dsl/session.h"

namespace ultr {

/// A user's move after a document: to a state, with a probability.
struct Move {
  std::size_t to;
  Prob probability;
};

/// A state of the user at a document. The user examines the document with one probability, finds it
/// attractive with another, clicks if both happen, and moves on. Probabilities are per document, so
/// one state serves all ranks.
struct State {
  Prob examination, attraction;
  std::vector<Move> after_click, after_skip;  // the probabilities of each sum to 1
};

/// A click model as a finite-state machine over the ranks of a list. The user starts in state 0. If
/// `start` has entries, the user starts in one of their states instead; their probabilities do not
/// depend on the document and sum to 1.
///
/// Its probabilities may also depend on the last click above a document, which is no part of the
/// state.
///
/// Likelihoods are those of a hidden Markov model (autograd/markov/forward_algorithm.h), which
/// needs no division and no posterior on its way down the ranks, so it stays exact where recursions
/// over posteriors divide by a vanishing 1 - γε. ChainConditionals predicts clicks given those
/// above, and ChainMarginals (dsl/programs/chain_marginals.h) sums the clicks out.
struct Chain {
  std::vector<State> states;
  std::vector<Move> start = {};
};

/// Returns the machine of users who choose one of several machines at the start of each session,
/// machine m with probability shares[m].
Chain mixture(std::span<const Prob> shares, std::vector<Chain> chains);

/// Returns the share of users who start in a state.
Prob starting(const Chain& chain, std::size_t state, const Session& session);

/// Returns P(click) of each document for a machine with a single state, whose clicks depend at most
/// on the last click above. Returns nothing for machines with several states.
std::optional<Prob> memoryless_click(const Chain& chain);

/// The log probability that training and metrics give an impossible click, such as a second one
/// under the cascade model: log 1e-8.
inline constexpr double min_log_prob = -18.420680743952367;

/// The treatment of a click that is impossible under the model.
enum class Impossible : std::uint8_t {
  exact,   // the likelihood of the session is 0
  scored,  // it scores min_log_prob, has gradient 0 and leaves the user's state unchanged
};

/// Returns log P(clicks) of each session of the shard, longest list first: [sessions].
Tensor chain_log_likelihood(const Chain& chain, const Session& session, Impossible rule);
/// Returns log P(clicks and skips at a document and above) of each document.
Tensor chain_log_likelihoods_so_far(const Chain& chain, const Session& session, Impossible rule);

/// Returns the sum over the documents of each session: [documents], or a scalar that stands for
/// every document -> [sessions].
Tensor sum_over_ranks(Tensor per_document, const Session& session);

}  // namespace ultr
