#include "dsl/chain.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/logspace.h"
#include "autograd/ops/select.h"
#include "autograd/ops/slice.h"

namespace ultr {
namespace {

/// The log mass of a state: impossible, certain (log 1, nothing recorded), or one number per
/// session.
struct Mass {
  bool possible = false;
  std::optional<Tensor> log;

  static Mass certain() { return {true, std::nullopt}; }
};

/// Returns a piece of a vector. A scalar stands for every element and stays as it is.
Tensor piece(Tensor x, const Range& range) { return x.shape().single() ? x : slice(x, range); }

/// Returns the log of a mass times a probability.
Tensor times(const Mass& mass, Tensor log_p) { return mass.log ? *mass.log + log_p : log_p; }

/// Returns the sum of several masses; impossible if there are none.
Mass total_of(std::span<const Tensor> log_masses) {
  if (log_masses.empty()) return {};
  return {true, logaddexp(log_masses)};
}

/// Repeats a scalar for each session of the extent; other tensors stay as they are.
Tensor spread(Tensor x, Extent sessions) { return x.shape().single() ? repeat(x, sessions) : x; }

/// A forward pass over ranks that conditions on the observed clicks.
class ForwardPass {
 public:
  ForwardPass(const Chain& chain, const Session& session)
      : chain_(chain), session_(session), inputs_(session.inputs()) {
    for (const State& state : chain.states) click_.push_back(state.examination * state.attraction);
    std::vector<std::vector<Tensor>> starting(chain.states.size());
    for (const Move& start : chain.start) starting[start.to].push_back(start.probability.log());
    for (const auto& log_masses : starting) masses_.push_back(total_of(log_masses));
    if (chain.start.empty()) masses_[0] = Mass::certain();
  }

  /// Moves through the ranks. Calls `at_rank(k)` before it applies the clicks of rank k. Afterwards
  /// it calls `at_end(k, mass)` with the mass of the sessions whose list ends at rank k.
  template <class AtRank, class AtEnd>
  void observe(Impossible rule, AtRank at_rank, AtEnd at_end) {
    const bool scores = rule == Impossible::scored && !clicks_are_always_possible();
    std::vector<Prob> seen;
    for (const Prob& click : click_) seen.push_back(where(inputs_.clicked(), click, !click));
    for (std::size_t k = 0; k < inputs_.longest(); ++k) {
      at_rank(k);
      const Mask clicked = slice(inputs_.clicked(), inputs_.rank(k));
      const std::vector<Mass> before = masses_;
      for (std::size_t s = 0; s < masses_.size(); ++s) {
        Mass& mass = masses_[s];
        if (!mass.possible) continue;
        if (click_[s].is_never()) {
          // A click proves that the user was not in this state.
          const Tensor log = mass.log ? *mass.log : session_.tape().constant(0);
          mass.log = where(clicked, -HUGE_VAL, log);
        } else {
          mass.log = times(mass, piece(seen[s].log(), inputs_.rank(k)));
        }
      }
      if (scores && k > 0) score_impossible_clicks(before);
      const Range ending = inputs_.ending_sessions(k);
      at_end(k, spread(*log_total(&ending), ending.rows));
      if (k + 1 == inputs_.longest()) break;
      move(k);
    }
  }

  /// Returns log Σ over states of mass * P(click in the state) at rank k, or the same for skips.
  Tensor log_sum(std::size_t k, bool skips) const {
    std::vector<Tensor> terms;
    for (std::size_t s = 0; s < masses_.size(); ++s) {
      const Prob p = skips ? !click_[s] : click_[s];
      if (masses_[s].possible && !p.is_never())
        terms.push_back(times(masses_[s], piece(p.log(), inputs_.rank(k))));
    }
    return spread(terms.empty() ? session_.tape().constant(-HUGE_VAL) : logaddexp(terms),
                  inputs_.rank(k).rows);
  }

  /// Returns log Σ over states of mass, for all sessions of the current rank or a part of them;
  /// nothing if the sum is certainly 1.
  std::optional<Tensor> log_total(const Range* part = nullptr) const {
    std::vector<Tensor> terms;
    for (const Mass& mass : masses_) {
      if (!mass.possible) continue;
      if (!mass.log) return std::nullopt;  // certain
      terms.push_back(part == nullptr ? *mass.log : piece(*mass.log, *part));
    }
    return logaddexp(terms);
  }

 private:
  /// True if, after any click or skip, the user may be in a state where a click is possible.
  bool clicks_are_always_possible() const {
    const auto keeps_clicking = [&](const std::vector<Move>& moves) {
      return std::any_of(moves.begin(), moves.end(), [&](const Move& move) {
        return !move.probability.is_never() && !click_[move.to].is_never();
      });
    };
    for (std::size_t s = 0; s < click_.size(); ++s)
      if (!click_[s].is_never() && !(keeps_clicking(chain_.states[s].after_click) &&
                                     keeps_clicking(chain_.states[s].after_skip)))
        return false;
    return true;
  }

  /// Restores the masses before this rank where its clicks have left none, and scores the clicks.
  void score_impossible_clicks(const std::vector<Mass>& before) {
    const Mask none = is_negative_infinity(*log_total());
    for (std::size_t s = 0; s < masses_.size(); ++s) {
      if (!masses_[s].possible) continue;
      const Tensor kept = before[s].log ? *before[s].log : session_.tape().constant(0);
      masses_[s].log = where(none, kept + min_log_prob, *masses_[s].log);
    }
  }

  /// Moves the masses of the sessions that go on from rank k to the next.
  void move(std::size_t k) {
    const Range documents = inputs_.continuing(k);
    std::vector<std::vector<Tensor>> arriving(masses_.size());
    std::optional<std::size_t> certain;  // the state that all users move to
    for (std::size_t s = 0; s < masses_.size(); ++s) {
      if (!masses_[s].possible) continue;
      Mass staying = masses_[s];
      if (staying.log) staying.log = piece(*staying.log, inputs_.continuing_sessions(k));
      for (std::size_t t = 0; t < masses_.size(); ++t) {
        const Prob skipped = moving(chain_.states[s].after_skip, t);
        const Prob moved =
            click_[s].is_never()
                ? skipped
                : where(inputs_.clicked(), moving(chain_.states[s].after_click, t), skipped);
        if (moved.is_never()) continue;
        if (moved.is_always() && !staying.log)
          certain = t;
        else
          arriving[t].push_back(moved.is_always() ? *staying.log
                                                  : times(staying, piece(moved.log(), documents)));
      }
    }
    masses_.clear();
    for (const auto& log_masses : arriving) masses_.push_back(total_of(log_masses));
    if (certain) masses_[*certain] = Mass::certain();
  }

  /// Returns the probability of moving to state t.
  Prob moving(const std::vector<Move>& moves, std::size_t t) const {
    Prob sum = session_.never();
    for (const Move& move : moves)
      if (move.to == t) sum = sum + move.probability;
    return sum;
  }

  const Chain& chain_;
  const Session& session_;
  ShardInputs& inputs_;
  std::vector<Prob> click_;
  std::vector<Mass> masses_;
};

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

std::optional<Prob> memoryless_click(const Chain& chain) {
  if (chain.states.size() > 1) return std::nullopt;
  return chain.states[0].examination * chain.states[0].attraction;
}

Tensor chain_log_likelihood(const Chain& chain, const Session& session, Impossible rule) {
  if (const auto click = memoryless_click(chain))
    return sum_over_ranks(where(session.inputs().clicked(), *click, !*click).log(), session);
  ForwardPass pass(chain, session);
  std::vector<Tensor> endings;
  pass.observe(
      rule, [](std::size_t) {}, [&](std::size_t, Tensor log_mass) { endings.push_back(log_mass); });
  return join_endings(std::move(endings), session);
}

Prob chain_conditional(const Chain& chain, const Session& session) {
  if (const auto click = memoryless_click(chain)) return *click;
  ForwardPass pass(chain, session);
  std::vector<Tensor> log_click, log_skip;  // rank by rank, each summed separately to be exact
  pass.observe(
      Impossible::scored,
      [&](std::size_t k) {
        const std::optional<Tensor> log_total = pass.log_total();
        const auto given = [&](Tensor log_sum) {
          return log_total ? log_sum - *log_total : log_sum;
        };
        log_click.push_back(given(pass.log_sum(k, false)));
        log_skip.push_back(given(pass.log_sum(k, true)));
      },
      [](std::size_t, Tensor) {});
  const Extent documents = session.inputs().documents();
  return session.probabilities().from_logs(concat(log_click, documents),
                                           concat(log_skip, documents));
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
