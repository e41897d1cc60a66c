#include "dsl/programs/chain_marginals.h"

#include <algorithm>

#include "dsl/programs/number_packs.h"
#include "dsl/programs/pass_by_pairs.h"
#include "dsl/programs/store_event.h"

namespace ultr {
namespace {

using Doubles = Pack<double>;

/// Adds to the first numbers, or to as many as a pack has.
template <class... Count>
void add(double* to, Doubles more, Count... count) {
  (Doubles::load(to, count...) + more).store(to, count...);
}

/// The marginals of any machine whose probabilities are known by document, or by pair of positions.
template <class P, class T>
class MarginalPass {
 public:
  /// `last_click_matters`: users are told apart by their last click.
  MarginalPass(const ChainNumbers& numbers, std::size_t positions, bool last_click_matters,
               const Shard& shard, EventProbabilities& click, EventProbabilities& examination)
      : states_(numbers.states()),
        start_(numbers.start()),
        positions_(positions),
        last_click_matters_(last_click_matters),
        shard_(shard),
        click_(click),
        examination_(examination),
        users_(states_.size() * (last_click_matters ? shard.longest() + 1 : 1)),
        moved_(states_.size()) {}

  /// Computes the events of sessions j and following. Returns false if shares were too small for
  /// their type.
  [[gnu::flatten]] bool run(std::size_t j) {
    small_ = {};
    for (std::size_t s = 0; s < states_.size(); ++s) users_[s].store(P(start_[s].constant));
    for_each_rank<P>(shard_, j, [&](std::size_t rank, std::size_t at, auto... count) {
      step(rank, at, count...);
    });
    return !small_.found();
  }

 private:
  using N = typename P::Scalar;

  /// Computes the events at a rank, and moves the users to the next.
  template <class... Count>
  void step(std::size_t rank, std::size_t at, Count... count) {
    const std::size_t states = states_.size(), last_clicks = last_click_matters_ ? rank + 1 : 1;
    PackMemory<P>* const after_click =
        last_click_matters_ ? users_.data() + last_clicks * states : moved_.data();
    if (last_click_matters_)
      for (std::size_t s = 0; s < states; ++s) after_click[s].store(P(0));
    P examinations(0), passes(0), all_clicks(0), all_skips(0);
    for (std::size_t last = 0; last < last_clicks; ++last) {
      const std::size_t pair = rank * (positions_ + 1) + last;
      const auto value = [&](const ChainNumber& x) {
        return x.pair_values == nullptr
                   ? load_number<P, T>(x, at, count...)
                   : P::repeat(static_cast<N>(static_cast<const T*>(x.pair_values)[pair]));
      };
      PackMemory<P>* const users_here = users_.data() + last * states;
      for (std::size_t s = 0; s < states; ++s) moved_[s].store(P(0));
      for (std::size_t s = 0; s < states; ++s) {
        const ChainStateNumbers& state = states_[s];
        const P users = users_here[s].load(), least = min(users, smallest_share<N>);
        const auto move = [&](const std::vector<ChainWay>& ways, const P& from, PackMemory<P>* to) {
          for (const ChainWay& way : ways)
            to[way.to].add(way.probability.tensor ? max(from * value(way.probability), least)
                                                  : from);
        };
        P skips = users;
        if (state.examines) {
          const P examine = users * value(state.examined), pass = users * value(state.not_examined);
          const P clicks = max(examine * value(state.attracted), state.may_click() ? least : P(0));
          skips = max(pass + examine * value(state.not_attracted), state.may_skip() ? least : P(0));
          examinations += examine;
          passes += pass;
          all_clicks += clicks;
          move(state.after_click, clicks, after_click);
        } else {
          passes += users;
        }
        all_skips += skips;
        move(state.after_skip, skips, moved_.data());
      }
      for (std::size_t s = 0; s < states; ++s) users_here[s].store(moved_[s].load());
    }
    for (const P& sum : {examinations, passes, all_clicks, all_skips})
      small_.look_at(sum, count...);
    const auto clicked = load_clicked<P>(shard_, at, count...);
    store_event(examinations, passes, clicked, examination_, at, count...);
    store_event(all_clicks, all_skips, clicked, click_, at, count...);
  }

  const std::vector<ChainStateNumbers>& states_;
  const std::vector<ChainNumber>& start_;
  std::size_t positions_;
  bool last_click_matters_;
  const Shard& shard_;
  EventProbabilities &click_, &examination_;
  /// Users by last click and state: entry last * states + state, where last is the rank of the last
  /// click counted from 1, or 0. Without last clicks that matter, there are those of 0 only.
  std::vector<PackMemory<P>> users_;
  std::vector<PackMemory<P>> moved_;  // by state
  SmallShares<P> small_;
};

}  // namespace

ChainMarginals::ChainMarginals(const Chain& chain, const Session& session, std::size_t positions,
                               EventOutput click, EventOutput examination)
    : inputs_(session.inputs()),
      positions_(positions),
      last_click_matters_(session.last_click_was_used()),
      last_clicks_(last_click_matters_ ? std::optional(inputs_.assumed_position_pairs())
                                       : std::nullopt),
      numbers_(chain, session, last_clicks_),
      click_{.output = click},
      examination_{.output = examination} {
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
  click_.resize(shard.documents());
  examination_.resize(shard.documents());
  if (last_click_matters_ && is_one_state_by_pairs(numbers_.states()))
    run_passes<PassByPairs, T>(shard, numbers_, positions_, shard, click_, examination_);
  else
    run_passes<MarginalPass, T>(shard, numbers_, positions_, last_click_matters_, shard, click_,
                                examination_);
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
  if (click_.output.likelihood) click_.write_likelihoods(shard.clicks(), click_.likelihood);
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
      const auto value = [&](const ChainNumber& x) {
        return load_number<Doubles, T>(x, at, count...);
      };
      const auto move = [&](const std::vector<ChainWay>& ways, Doubles from, Users& to) {
        for (const ChainWay& way : ways)
          add(to.share[way.to].data() + i,
              max(from * value(way.probability), smallest_share<double>), count...);
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
