#include "dsl/programs/chain_marginals.h"

#include <algorithm>

#include "dsl/programs/number_packs.h"

namespace ultr {
namespace {

using Doubles = Pack<double>;

/// Adds to the first numbers, or to as many as a pack has.
template <class... Count>
void add(double* to, Doubles more, Count... count) {
  (Doubles::load(to, count...) + more).store(to, count...);
}

/// A machine with one state whose examination is known by pair of ranks, and attraction by
/// document. Its users are told apart by their last click alone. The pass forms fewer products than
/// that of any machine: clicks and skips follow from the sums over last clicks.
template <class T>
class PassByPairs {
 public:
  /// Reads examination by pair of positions: pair (k, last) has number k * (positions + 1) + last.
  PassByPairs(const ChainStateNumbers& state, double start, std::size_t ranks,
              std::size_t positions)
      : state_(state), start_(start), users_(ranks + 1) {
    examined_.reserve(ranks * (ranks + 1) / 2);
    not_examined_.reserve(examined_.capacity());
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t last = 0; last <= rank; ++last) {
        const std::size_t pair = rank * (positions + 1) + last;
        examined_.push_back(number(state.examined, pair));
        not_examined_.push_back(number(state.not_examined, pair));
      }
  }

  void run(const Shard& shard, EventProbabilities& click, EventProbabilities& examination) {
    for (std::size_t j = 0; j < shard.sessions(); j += Doubles::size) {
      users_[0].store(Doubles(start_));
      for (std::size_t rank = 0; rank < shard.longest() && j < shard.count(rank); ++rank)
        if (const std::size_t count = shard.count(rank) - j; count >= Doubles::size)
          step(rank, shard.begin(rank) + j, click, examination);
        else
          step(rank, shard.begin(rank) + j, click, examination, count);
    }
  }

 private:
  static double number(const ChainNumber& x, std::size_t pair) {
    return x.pair_values == nullptr
               ? x.constant
               : static_cast<double>(static_cast<const T*>(x.pair_values)[pair]);
  }

  template <class... Count>
  void step(std::size_t rank, std::size_t at, EventProbabilities& click,
            EventProbabilities& examination, Count... count) {
    const Doubles attracted = load_number<T>(state_.attracted, at, count...),
                  not_attracted = load_number<T>(state_.not_attracted, at, count...);
    const double least_skip = state_.may_skip() ? smallest_share : 0;
    const std::size_t first = rank * (rank + 1) / 2;
    const double *const examine = &examined_[first], *const pass = &not_examined_[first];
    Doubles all(0), examinations(0), passes(0), skips(0);
    for (std::size_t last = 0; last <= rank; ++last) {
      const Doubles users = users_[last].load();
      const Doubles examined = users * Doubles::broadcast(examine[last]),
                    passed = users * Doubles::broadcast(pass[last]);
      const Doubles skipped = max(passed + examined * not_attracted, min(users, least_skip));
      users_[last].store(skipped);
      all += users;
      examinations += examined;
      passes += passed;
      skips += skipped;
    }
    const Doubles clicks =
        max(examinations * attracted, min(all, state_.may_click() ? smallest_share : 0));
    users_[rank + 1].store(clicks);
    examinations.store(examination.p.data() + at, count...);
    passes.store(examination.complement.data() + at, count...);
    clicks.store(click.p.data() + at, count...);
    skips.store(click.complement.data() + at, count...);
  }

  const ChainStateNumbers& state_;
  double start_;
  std::vector<double> examined_, not_examined_;  // by rank and last click
  std::vector<PackMemory> users_;                // by last click
};

/// True if PassByPairs can run a machine: users stay in its only state, and only examination
/// depends on the last click.
bool is_one_state_by_pairs(const std::vector<ChainStateNumbers>& states) {
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

}  // namespace

/// Users by last click and state: entry last * states + state, where last is the rank of the last
/// click counted from 1, or 0. Without last clicks that matter, there are those of 0 only.
struct ChainMarginals::SharesInRegister {
  std::vector<PackMemory> users, moved;
};

ChainMarginals::ChainMarginals(const Chain& chain, const Session& session, std::size_t positions)
    : inputs_(session.inputs()),
      positions_(positions),
      last_click_matters_(session.last_click_was_used()),
      last_clicks_(last_click_matters_ ? std::optional(inputs_.assumed_position_pairs())
                                       : std::nullopt),
      numbers_(chain, session, last_clicks_) {
  for (const ChainNumber& start : numbers_.start())
    may_start_.push_back(start.tensor || start.constant > 0);
}

bool ChainMarginals::pairs_suffice() {
  if (!pairs_suffice_) {
    bool all = true;
    const auto look = [&](const ChainNumber& x) {
      all &= x.by_pair || !x.tensor || !replay_->affects(*x.tensor);
    };
    for (const ChainStateNumbers& state : numbers_.states()) {
      for (const ChainNumber* x :
           {&state.examined, &state.not_examined, &state.attracted, &state.not_attracted})
        look(*x);
      for (const auto* ways : {&state.after_click, &state.after_skip})
        for (const ChainWay& way : *ways) look(way.probability);
    }
    pairs_suffice_ = all;
  }
  return *pairs_suffice_;
}

void ChainMarginals::run(const Shard& shard) {
  if (last_click_matters_ && !replay_) replay_.emplace(inputs_.tape(), last_clicks_->node);
  numbers_.read();
  const bool in_registers =
      !last_click_matters_ || (!shard.position_runs().empty() && pairs_suffice());
  const auto with_type = [&](auto type) {
    using T = decltype(type);
    if (in_registers)
      run_in_registers<T>(shard);
    else
      run_by_last_click<T>(shard);
  };
  if (inputs_.tape().precision() == Precision::float32)
    with_type(float());
  else
    with_type(double());
}

template <class T>
void ChainMarginals::run_in_registers(const Shard& shard) {
  for (auto* numbers : {&click_.p, &click_.complement, &examination_.p, &examination_.complement})
    numbers->resize(shard.documents());
  const std::size_t states = numbers_.states().size();
  if (last_click_matters_ && is_one_state_by_pairs(numbers_.states())) {
    PassByPairs<T>(numbers_.states()[0], numbers_.start()[0].constant, shard.longest(), positions_)
        .run(shard, click_, examination_);
    return;
  }
  SharesInRegister shares;
  shares.users.resize(states * (last_click_matters_ ? shard.longest() + 1 : 1));
  shares.moved.resize(states);
  for (std::size_t j = 0; j < shard.sessions(); j += Doubles::size) {
    for (std::size_t s = 0; s < states; ++s)
      shares.users[s].store(Doubles(numbers_.start()[s].constant));
    for (std::size_t rank = 0; rank < shard.longest() && j < shard.count(rank); ++rank)
      if (const std::size_t count = shard.count(rank) - j; count >= Doubles::size)
        step_in_registers<T>(shard, rank, j, shares);
      else
        step_in_registers<T>(shard, rank, j, shares, count);
  }
}

/// Computes the events at a rank, and moves the users to the next.
template <class T, class... Count>
void ChainMarginals::step_in_registers(const Shard& shard, std::size_t rank, std::size_t session,
                                       SharesInRegister& shares, Count... count) {
  const std::size_t at = shard.begin(rank) + session, states = numbers_.states().size();
  const std::size_t last_clicks = last_click_matters_ ? rank + 1 : 1;
  PackMemory* const after_click =
      last_click_matters_ ? shares.users.data() + last_clicks * states : shares.moved.data();
  if (last_click_matters_)
    for (std::size_t s = 0; s < states; ++s) after_click[s].store(Doubles(0));
  Doubles examinations(0), passes(0), all_clicks(0), all_skips(0);
  for (std::size_t last = 0; last < last_clicks; ++last) {
    const std::size_t pair = rank * (positions_ + 1) + last;
    const auto value = [&](const ChainNumber& x) {
      return x.pair_values == nullptr
                 ? load_number<T>(x, at, count...)
                 : Doubles(static_cast<double>(static_cast<const T*>(x.pair_values)[pair]));
    };
    PackMemory* const users_here = shares.users.data() + last * states;
    for (std::size_t s = 0; s < states; ++s) shares.moved[s].store(Doubles(0));
    for (std::size_t s = 0; s < states; ++s) {
      const ChainStateNumbers& state = numbers_.states()[s];
      const Doubles users = users_here[s].load(), least = min(users, smallest_share);
      const auto move = [&](const std::vector<ChainWay>& ways, Doubles from, PackMemory* to) {
        for (const ChainWay& way : ways)
          to[way.to].add(way.probability.tensor ? max(from * value(way.probability), least) : from);
      };
      Doubles skips = users;
      if (state.examines) {
        const Doubles examine = users * value(state.examined),
                      pass = users * value(state.not_examined);
        const Doubles clicks =
            max(examine * value(state.attracted), state.may_click() ? least : Doubles(0));
        skips =
            max(pass + examine * value(state.not_attracted), state.may_skip() ? least : Doubles(0));
        examinations += examine;
        passes += pass;
        all_clicks += clicks;
        move(state.after_click, clicks, after_click);
      } else {
        passes += users;
      }
      all_skips += skips;
      move(state.after_skip, skips, shares.moved.data());
    }
    for (std::size_t s = 0; s < states; ++s) users_here[s].store(shares.moved[s].load());
  }
  examinations.store(examination_.p.data() + at, count...);
  passes.store(examination_.complement.data() + at, count...);
  all_clicks.store(click_.p.data() + at, count...);
  all_skips.store(click_.complement.data() + at, count...);
}

template <class T>
void ChainMarginals::run_by_last_click(const Shard& shard) {
  for (auto* numbers : {&click_.p, &click_.complement, &examination_.p, &examination_.complement})
    numbers->assign(shard.documents(), 0);
  start(shard);
  pass<T>(shard, 0);
  for (std::size_t rank = 1; rank < shard.longest(); ++rank) {
    inputs_.assume_last_clicks(shard, static_cast<std::uint32_t>(rank));
    replay_->run();
    numbers_.read();
    std::swap(users_, clicked_[rank - 1]);
    pass<T>(shard, rank);
  }
}

void ChainMarginals::start(const Shard& shard) {
  const auto clear = [&](Users& users) {
    users.possible.assign(numbers_.states().size(), false);
    users.share.resize(numbers_.states().size());
    for (std::vector<double>& share : users.share) share.assign(shard.sessions(), 0);
  };
  clear(users_);
  clear(moved_);
  clicked_.resize(shard.longest());
  for (Users& users : clicked_) clear(users);
  users_.possible = may_start_;
  for (std::size_t s = 0; s < numbers_.states().size(); ++s)
    std::ranges::fill(users_.share[s], numbers_.start()[s].constant);
}

/// Moves the users from a rank to the end of their lists.
template <class T>
void ChainMarginals::pass(const Shard& shard, std::size_t first) {
  for (std::size_t rank = first; rank < shard.longest(); ++rank) {
    step<T>(shard, rank);
    std::swap(users_, moved_);
  }
}

/// Adds the events at a rank, and moves the users to the next.
template <class T>
void ChainMarginals::step(const Shard& shard, std::size_t rank) {
  Users& after_click = clicked_[rank];
  std::fill(moved_.possible.begin(), moved_.possible.end(), false);
  for (std::vector<double>& share : moved_.share)
    std::fill_n(share.begin(), shard.count(rank), 0.0);
  for (std::size_t s = 0; s < numbers_.states().size(); ++s) {
    if (!users_.possible[s]) continue;
    const ChainStateNumbers& state = numbers_.states()[s];
    for (const ChainWay& way : state.after_skip) moved_.possible[way.to] = true;
    if (state.examines)
      for (const ChainWay& way : state.after_click) after_click.possible[way.to] = true;
    const double* const share = users_.share[s].data();
    for_each_pack<double>(shard.count(rank), [&](std::size_t i, auto... count) {
      const std::size_t at = shard.begin(rank) + i;
      const auto value = [&](const ChainNumber& x) { return load_number<T>(x, at, count...); };
      const auto move = [&](const std::vector<ChainWay>& ways, Doubles from, Users& to) {
        for (const ChainWay& way : ways)
          add(to.share[way.to].data() + i, max(from * value(way.probability), smallest_share),
              count...);
      };
      const Doubles users = Doubles::load(share + i, count...);
      Doubles skips = users;
      if (state.examines) {
        const Doubles examine = users * value(state.examined),
                      pass = users * value(state.not_examined);
        const Doubles clicks = examine * value(state.attracted);
        skips = pass + examine * value(state.not_attracted);
        add(examination_.p.data() + at, examine, count...);
        add(examination_.complement.data() + at, pass, count...);
        add(click_.p.data() + at, clicks, count...);
        move(state.after_click, clicks, after_click);
      } else {
        add(examination_.complement.data() + at, users, count...);
      }
      add(click_.complement.data() + at, skips, count...);
      move(state.after_skip, skips, moved_);
    });
  }
}

std::size_t ChainMarginals::memory(std::size_t longest) const {
  const std::size_t ranks_of_users = 2 + (last_click_matters_ ? longest : 0);
  return sizeof(double) * shard_sessions *
         (4 * longest + ranks_of_users * numbers_.states().size());
}

}  // namespace ultr
