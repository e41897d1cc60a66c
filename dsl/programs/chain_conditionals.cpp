#include "dsl/programs/chain_conditionals.h"

#include "dsl/programs/number_packs.h"

namespace ultr {
namespace {

using Doubles = Pack<double>;

}  // namespace

/// By state.
struct ChainConditionals::SharesInRegister {
  std::vector<PackMemory> users, moved;
  struct Seen {
    PackMemory click, skip;  // probabilities
  };
  std::vector<Seen> seen;
};

void ChainConditionals::run(const Shard& shard, Precision precision) {
  if (precision == Precision::float32)
    run<float>(shard);
  else
    run<double>(shard);
}

template <class T>
void ChainConditionals::run(const Shard& shard) {
  click_.p.resize(shard.documents());
  click_.complement.resize(shard.documents());
  numbers_.read();
  const std::size_t states = numbers_.states().size();
  SharesInRegister shares{std::vector<PackMemory>(states), std::vector<PackMemory>(states),
                          std::vector<SharesInRegister::Seen>(states)};
  for (std::size_t j = 0; j < shard.sessions(); j += Doubles::size) {
    for (std::size_t s = 0; s < states; ++s)
      shares.users[s].store(Doubles(numbers_.start()[s].constant));
    for (std::size_t rank = 0; rank < shard.longest() && j < shard.count(rank); ++rank)
      if (const std::size_t count = shard.count(rank) - j; count >= Doubles::size)
        step<T>(shard, shard.begin(rank) + j, shares);
      else
        step<T>(shard, shard.begin(rank) + j, shares, count);
  }
}

/// Computes the probabilities of documents `at` and following, at one rank, and moves the users to
/// the next.
template <class T, class... Count>
void ChainConditionals::step(const Shard& shard, std::size_t at, SharesInRegister& shares,
                             Count... count) {
  const auto value = [&](const ChainNumber& x) { return load_number<T>(x, at, count...); };
  const std::size_t states = numbers_.states().size();
  auto& [users, moved, seen] = shares;
  Doubles click(0), skip(0), all(0);
  for (std::size_t s = 0; s < states; ++s) {
    const ChainStateNumbers& state = numbers_.states()[s];
    const Doubles here = users[s].load();
    all += here;
    moved[s].store(Doubles(0));
    if (!state.examines) {
      skip += here;
      continue;
    }
    const Doubles examined = value(state.examined);
    const Doubles if_click =
        max(examined * value(state.attracted), state.may_click() ? smallest_share : 0);
    const Doubles if_skip = max(value(state.not_examined) + examined * value(state.not_attracted),
                                state.may_skip() ? smallest_share : 0);
    seen[s].click.store(if_click);
    seen[s].skip.store(if_skip);
    click += here * if_click;
    skip += here * if_skip;
  }
  if (states == 1) {  // all users are there
    click.store(click_.p.data() + at, count...);
    skip.store(click_.complement.data() + at, count...);
    return;
  }
  const Doubles per_user = 1 / all;
  click = click * per_user;
  skip = skip * per_user;
  click.store(click_.p.data() + at, count...);
  skip.store(click_.complement.data() + at, count...);

  const auto clicked = load_mask<double>(shard.clicks().data() + at, count...);
  const auto impossible = where(clicked, click, skip) == Doubles(0);
  for (std::size_t s = 0; s < states; ++s) {
    const ChainStateNumbers& state = numbers_.states()[s];
    const Doubles before = users[s].load() * per_user;
    const auto move = [&](const std::vector<ChainWay>& ways, Doubles from) {
      for (const ChainWay& way : ways)
        moved[way.to].add(part_of_users(from, value(way.probability)));
    };
    if (!state.examines) {
      move(state.after_skip, where(clicked & !impossible, 0, before));
      continue;
    }
    const Doubles after =
        where(impossible, before,
              part_of_users(before, where(clicked, seen[s].click.load(), seen[s].skip.load())));
    move(state.after_click, where(clicked, after, 0));
    move(state.after_skip, where(clicked, 0, after));
  }
  std::swap(users, moved);
}

}  // namespace ultr
