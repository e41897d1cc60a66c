#include "dsl/chain.h"

#include <algorithm>

#include "autograd/markov/forward_algorithm.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/slice.h"

namespace ultr {
namespace {

/// Returns a piece of a vector. A scalar stands for every element and stays as it is.
Tensor piece(Tensor x, const Range& range) { return x.shape().single() ? x : slice(x, range); }

/// Repeats a scalar for each session of the extent; other tensors stay as they are.
Tensor spread(Tensor x, Extent sessions) { return x.shape().single() ? repeat(x, sessions) : x; }

/// Returns log p, or nothing if p is certainly 1.
std::optional<Tensor> log_unless_certain(Prob p) {
  return p.is_always() ? std::nullopt : std::optional(p.log());
}

/// Returns the probability of moving to state t.
Prob moving(const std::vector<Move>& moves, std::size_t t, const Session& session) {
  Prob sum = session.never();
  for (const Move& move : moves)
    if (move.to == t) sum = sum + move.probability;
  return sum;
}

/// True if, after any click or skip, the user may be in a state where a click is possible. `click`:
/// P(click) by state.
bool clicks_are_always_possible(const Chain& chain, const std::vector<Prob>& click) {
  const auto keeps_clicking = [&](const std::vector<Move>& moves) {
    return std::ranges::any_of(moves, [&](const Move& move) {
      return !move.probability.is_never() && !click[move.to].is_never();
    });
  };
  for (std::size_t s = 0; s < click.size(); ++s)
    if (!click[s].is_never() && !(keeps_clicking(chain.states[s].after_click) &&
                                  keeps_clicking(chain.states[s].after_skip)))
      return false;
  return true;
}

/// Returns the likelihoods of the observed clicks, as a function of the machine's states and the
/// lists computes them.
Tensor observed(const Chain& chain, const Session& session, Impossible rule,
                Tensor (*likelihoods)(const HiddenMarkovModel&, const RankedLists&)) {
  const Mask clicked = session.inputs().clicked();
  std::vector<Prob> click;
  for (const State& state : chain.states) click.push_back(state.examination * state.attraction);
  std::vector<HiddenState> states;
  std::vector<HiddenMove> moves;
  for (std::size_t s = 0; s < click.size(); ++s) {
    const Prob start = starting(chain, s, session);
    states.push_back(
        {.log_start = std::nullopt, .log_observed = where(clicked, click[s], !click[s]).log()});
    if (!start.is_never()) states[s].log_start = start.log();
    for (std::size_t t = 0; t < click.size(); ++t) {
      const Prob skipped = moving(chain.states[s].after_skip, t, session);
      const Prob moved =
          click[s].is_never()
              ? skipped
              : where(clicked, moving(chain.states[s].after_click, t, session), skipped);
      if (!moved.is_never()) moves.push_back({s, t, log_unless_certain(moved)});
    }
  }
  HiddenMarkovModel model{.states = states, .moves = moves};
  if (rule == Impossible::scored && !clicks_are_always_possible(chain, click))
    model.log_impossible = min_log_prob;
  return likelihoods(model, session.inputs().ranks());
}

/// Joins per-session numbers that were collected at the end of each list. Sessions are ordered
/// longest first, so the pieces are joined in the order of falling rank.
Tensor join_endings(std::vector<Tensor> endings, const Session& session) {
  return concat(std::vector<Tensor>(endings.rbegin(), endings.rend()), session.inputs().sessions());
}

}  // namespace

Chain mixture(std::span<const Prob> shares, std::vector<Chain> chains) {
  Chain all;
  for (std::size_t m = 0; m < chains.size(); ++m) {
    const std::size_t offset = all.states.size();
    const auto shift = [&](std::vector<Move>& moves) {
      for (Move& move : moves) move.to += offset;
    };
    if (chains[m].start.empty()) all.start.push_back({offset, shares[m]});
    for (const Move& start : chains[m].start)
      all.start.push_back({offset + start.to, shares[m] * start.probability});
    for (State& state : chains[m].states) {
      shift(state.after_click);
      shift(state.after_skip);
      all.states.push_back(std::move(state));
    }
  }
  return all;
}

Prob starting(const Chain& chain, std::size_t state, const Session& session) {
  return chain.start.empty() && state == 0 ? session.always() : moving(chain.start, state, session);
}

std::optional<Prob> memoryless_click(const Chain& chain) {
  if (chain.states.size() > 1) return std::nullopt;
  return chain.states[0].examination * chain.states[0].attraction;
}

Tensor chain_log_likelihood(const Chain& chain, const Session& session, Impossible rule) {
  if (const auto click = memoryless_click(chain))
    return sum_over_ranks(where(session.inputs().clicked(), *click, !*click).log(), session);
  return observed(chain, session, rule, log_likelihoods);
}

Tensor chain_log_likelihoods_so_far(const Chain& chain, const Session& session, Impossible rule) {
  return observed(chain, session, rule, log_likelihoods_so_far);
}

Tensor sum_over_ranks(Tensor per_document, const Session& session) {
  ShardInputs& inputs = session.inputs();
  std::vector<Tensor> endings;
  std::optional<Tensor> sum;
  for (std::size_t k = 0; k < inputs.longest(); ++k) {
    const Tensor here = spread(piece(per_document, inputs.rank(k)), inputs.rank(k).rows);
    sum = sum ? *sum + here : here;
    endings.push_back(slice(*sum, inputs.ending_sessions(k)));
    if (k + 1 < inputs.longest()) sum = slice(*sum, inputs.continuing_sessions(k));
  }
  return join_endings(std::move(endings), session);
}

}  // namespace ultr
