#pragma once

#include <vector>

#include "dsl/programs/event_probabilities.h"
#include "dsl/programs/number_packs.h"
#include "dsl/programs/store_event.h"

namespace ultr {

/// True if PassByPairs can run a machine: users stay in its only state, and only examination
/// depends on the last click.
inline bool is_one_state_by_pairs(const std::vector<ChainStateNumbers>& states) {
  if (states.size() != 1 || !states[0].examines) return false;
  const ChainStateNumbers& state = states[0];
  const auto stays = [](const std::vector<ChainWay>& ways) {
    return ways.size() == 1 && !ways[0].probability.tensor && ways[0].probability.constant == 1;
  };
  const auto is_by_pair = [](const ChainNumber& x) {
    return x.pair_values != nullptr || x.values == nullptr;
  };
  return stays(state.after_click) && stays(state.after_skip) && is_by_pair(state.examined) &&
         is_by_pair(state.not_examined) && state.attracted.pair_values == nullptr &&
         state.not_attracted.pair_values == nullptr;
}

/// The marginals of a machine with one state whose examination is known by pair of positions, and
/// attraction by document. Its users are told apart by their last click alone. The pass forms fewer
/// products than that of any machine: clicks and skips follow from the sums over last clicks.
template <class P, class T>
class PassByPairs {
 public:
  /// Reads examination by pair of positions: pair (k, last) has number k * (positions + 1) + last.
  PassByPairs(const ChainNumbers& numbers, std::size_t positions, const Shard& shard,
              EventProbabilities& click, EventProbabilities& examination)
      : state_(numbers.states()[0]),
        start_(numbers.start()[0].constant),
        shard_(shard),
        click_(click),
        examination_(examination),
        users_(shard.longest() + 1) {
    const std::size_t pairs = shard.longest() * (shard.longest() + 1) / 2;
    examined_.reserve(pairs);
    not_examined_.reserve(pairs);
    for (std::size_t rank = 0; rank < shard.longest(); ++rank)
      for (std::size_t last = 0; last <= rank; ++last) {
        const std::size_t pair = rank * (positions + 1) + last;
        examined_.push_back(number(state_.examined, pair));
        not_examined_.push_back(number(state_.not_examined, pair));
      }
  }

  /// Computes the events of sessions j and following. Returns false if shares were too small for
  /// their type.
  [[gnu::flatten]] bool run(std::size_t j) {
    small_ = {};
    users_[0].store(P(start_));
    for_each_rank<P>(shard_, j, [&](std::size_t rank, std::size_t at, auto... count) {
      step(rank, at, count...);
    });
    return !small_.found();
  }

 private:
  using N = typename P::Scalar;

  static N number(const ChainNumber& x, std::size_t pair) {
    return x.pair_values == nullptr ? static_cast<N>(x.constant)
                                    : static_cast<N>(static_cast<const T*>(x.pair_values)[pair]);
  }

  template <class... Count>
  void step(std::size_t rank, std::size_t at, Count... count) {
    const P attracted = load_number<P, T>(state_.attracted, at, count...),
            not_attracted = load_number<P, T>(state_.not_attracted, at, count...);
    const double least_skip = state_.may_skip() ? smallest_share<N> : 0;
    const std::size_t first = rank * (rank + 1) / 2;
    const N *const examine = &examined_[first], *const pass = &not_examined_[first];
    P all(0), examinations(0), passes(0), skips(0);
    for (std::size_t last = 0; last <= rank; ++last) {
      const P users = users_[last].load();
      const P examined = users * P::repeat(examine[last]), passed = users * P::repeat(pass[last]);
      const P skipped = max(passed + examined * not_attracted, min(users, least_skip));
      users_[last].store(skipped);
      all += users;
      examinations += examined;
      passes += passed;
      skips += skipped;
    }
    const P clicks =
        max(examinations * attracted, min(all, state_.may_click() ? smallest_share<N> : 0));
    users_[rank + 1].store(clicks);
    for (const P& sum : {examinations, passes, clicks, skips}) small_.look_at(sum, count...);
    const auto clicked = load_clicked<P>(shard_, at, count...);
    store_event(examinations, passes, clicked, examination_, at, count...);
    store_event(clicks, skips, clicked, click_, at, count...);
  }

  const ChainStateNumbers& state_;
  double start_;
  const Shard& shard_;
  EventProbabilities &click_, &examination_;
  std::vector<N> examined_, not_examined_;  // by rank and last click
  std::vector<PackMemory<P>> users_;        // by last click
  SmallShares<P> small_;
};

}  // namespace ultr
