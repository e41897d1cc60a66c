#include "dsl/programs/chain_conditionals.h"

#include "dsl/programs/number_packs.h"
#include "dsl/programs/store_event.h"

namespace ultr {
namespace {

/// The pass over the ranks of as many sessions as P has lanes.
template <class P, class T>
class ConditionalPass {
 public:
  ConditionalPass(const ChainNumbers& numbers, const Shard& shard, EventProbabilities& click)
      : states_(numbers.states()),
        start_(numbers.start()),
        shard_(shard),
        click_(click),
        users_(states_.size()),
        moved_(states_.size()),
        seen_(states_.size()) {}

  /// Computes the probabilities of the documents of sessions j and following. Returns false if
  /// shares were too small for their type.
  [[gnu::flatten]] bool run(std::size_t j) {
    small_ = {};
    for (std::size_t s = 0; s < states_.size(); ++s) users_[s].store(P(start_[s].constant));
    for_each_rank<P>(shard_, j, [&](std::size_t, std::size_t at, auto... count) {
      const Truths clicked = load_clicked<P>(shard_, at, count...);
      see(clicked, at, count...);
      if (states_.size() > 1) move(clicked, at, count...);
    });
    return !small_.found();
  }

 private:
  using N = typename P::Scalar;
  using Truths = decltype(P() == P());

  template <class... Count>
  static P value(const ChainNumber& x, std::size_t at, Count... count) {
    return load_number<P, T>(x, at, count...);
  }

  /// Computes the probabilities of documents `at` and following, at one rank.
  template <class... Count>
  void see(const Truths& clicked, std::size_t at, Count... count) {
    P click(0), skip(0), all(0);
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const ChainStateNumbers& state = states_[s];
      const P here = users_[s].load();
      all += here;
      if (!state.examines) {
        skip += here;
        continue;
      }
      const P examined = value(state.examined, at, count...);
      const P if_click = max(examined * value(state.attracted, at, count...),
                             state.may_click() ? smallest_share<N> : 0);
      const P if_skip = max(value(state.not_examined, at, count...) +
                                examined * value(state.not_attracted, at, count...),
                            state.may_skip() ? smallest_share<N> : 0);
      seen_[s].click.store(if_click);
      seen_[s].skip.store(if_skip);
      click += here * if_click;
      skip += here * if_skip;
    }
    if (states_.size() > 1) {  // otherwise all users are there
      per_user_ = 1 / all;
      click = click * per_user_;
      skip = skip * per_user_;
      impossible_ = where(clicked, click, skip) == P(0);
    }
    small_.look_at(click, count...);
    small_.look_at(skip, count...);
    store_event(click, skip, clicked, click_, at, count...);
  }

  /// Moves the users to the next rank.
  template <class... Count>
  void move(const Truths& clicked, std::size_t at, Count... count) {
    for (PackMemory<P>& share : moved_) share.store(P(0));
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const ChainStateNumbers& state = states_[s];
      const P before = users_[s].load() * per_user_;
      const auto go = [&](const std::vector<ChainWay>& ways, const P& from) {
        for (const ChainWay& way : ways)
          moved_[way.to].add(part_of_users(from, value(way.probability, at, count...)));
      };
      if (!state.examines) {
        go(state.after_skip, where(clicked & !impossible_, 0, before));
        continue;
      }
      const P after =
          where(impossible_, before,
                part_of_users(before, where(clicked, seen_[s].click.load(), seen_[s].skip.load())));
      go(state.after_click, where(clicked, after, 0));
      go(state.after_skip, where(clicked, 0, after));
    }
    std::swap(users_, moved_);
    for (const PackMemory<P>& share : users_) small_.look_at(share.load(), count...);
  }

  const std::vector<ChainStateNumbers>& states_;
  const std::vector<ChainNumber>& start_;
  const Shard& shard_;
  EventProbabilities& click_;
  std::vector<PackMemory<P>> users_, moved_;  // by state
  struct Seen {
    PackMemory<P> click, skip;  // probabilities
  };
  std::vector<Seen> seen_;  // by state
  P per_user_{1};
  Truths impossible_{};
  SmallShares<P> small_;
};

}  // namespace

void ChainConditionals::run(const Shard& shard, Precision precision) {
  click_.resize(shard.documents());
  numbers_.read();
  if (precision == Precision::float32)
    run_passes<ConditionalPass, float>(shard, numbers_, shard, click_);
  else
    run_passes<ConditionalPass, double>(shard, numbers_, shard, click_);
}

}  // namespace ultr
