#include "dsl/chain_marginals.h"

#include <algorithm>
#include <limits>

#include "kernels/pack.h"

namespace ultr {
namespace {

using P = Pack<double>;
constexpr double smallest_normal = std::numeric_limits<double>::min();

P load(const double* from) { return P::load(from); }
P load(const double* from, std::size_t count) { return P::load(from, count); }

P load(const float* from) {
  typedef float Half __attribute__((vector_size(sizeof(P::Vector) / 2)));
  Half half;
  std::memcpy(&half, from, sizeof half);
  return {__builtin_convertvector(half, P::Vector)};
}
P load(const float* from, std::size_t count) {
  double numbers[P::size] = {};
  std::copy_n(from, count, numbers);
  return P::load(numbers);
}

/// Adds to the first numbers, or to as many as a pack has.
template <class... Count>
void add(double* to, P more, Count... count) {
  (P::load(to, count...) + more).store(to, count...);
}

}  // namespace

ChainMarginals::ChainMarginals(const Chain& chain, const Session& session)
    : inputs_(session.inputs()), last_click_matters_(session.last_click_was_used()) {
  for (const State& state : chain.states)
    states_.push_back({.examines = !state.examination.is_never(),
                       .examined = number(state.examination),
                       .not_examined = number(!state.examination),
                       .attracted = number(state.attraction),
                       .not_attracted = number(!state.attraction),
                       .after_click = ways(state.after_click),
                       .after_skip = ways(state.after_skip)});
  for (std::size_t s = 0; s < states_.size(); ++s) {
    Prob here = chain.start.empty() && s == 0 ? session.always() : session.never();
    for (const Move& start : chain.start)
      if (start.to == s) here = here + start.probability;
    start_.push_back(number(here));
    may_start_.push_back(!here.is_never());
  }
  if (last_click_matters_) last_clicks_ = inputs_.assumed_position_pairs();
}

ChainMarginals::Number ChainMarginals::number(Prob p) {
  if (p.is_always() || p.is_never()) return {.constant = p.is_always() ? 1.0 : 0.0};
  tensors_.push_back(p.value());
  return {.tensor = tensors_.back()};
}

std::vector<ChainMarginals::Way> ChainMarginals::ways(const std::vector<Move>& moves) {
  std::vector<Way> ways;
  for (const Move& move : moves)
    if (!move.probability.is_never()) ways.push_back({move.to, number(move.probability)});
  return ways;
}

void ChainMarginals::read(Number& number) const {
  if (!number.tensor) return;
  if (number.tensor->shape().single())
    number.constant = number.tensor->item();
  else
    number.values = inputs_.tape().node(number.tensor->node()).value;
}

void ChainMarginals::read_numbers() {
  for (StateNumbers& state : states_) {
    for (Number* number :
         {&state.examined, &state.not_examined, &state.attracted, &state.not_attracted})
      read(*number);
    for (auto* ways : {&state.after_click, &state.after_skip})
      for (Way& way : *ways) read(way.probability);
  }
  for (Number& number : start_) read(number);
}

void ChainMarginals::run(const Shard& shard) {
  for (auto* numbers : {&click_.p, &click_.complement, &examination_.p, &examination_.complement})
    numbers->assign(shard.documents(), 0);
  read_numbers();
  start(shard);
  const auto pass_from = [&](std::size_t rank) {
    if (inputs_.tape().precision() == Precision::float32)
      pass<float>(shard, rank);
    else
      pass<double>(shard, rank);
  };
  pass_from(0);
  if (!last_click_matters_) return;
  if (!replay_) replay_.emplace(inputs_.tape(), last_clicks_->node);
  for (std::size_t rank = 1; rank < shard.longest(); ++rank) {
    inputs_.assume_last_clicks(shard, static_cast<std::uint32_t>(rank));
    replay_->run();
    read_numbers();
    std::swap(users_, clicked_[rank - 1]);
    pass_from(rank);
  }
}

void ChainMarginals::start(const Shard& shard) {
  const auto clear = [&](Users& users) {
    users.possible.assign(states_.size(), false);
    users.share.resize(states_.size());
    for (std::vector<double>& share : users.share) share.assign(shard.sessions(), 0);
  };
  clear(users_);
  clear(moved_);
  clicked_.resize(last_click_matters_ ? shard.longest() : 0);
  for (Users& users : clicked_) clear(users);
  users_.possible = may_start_;
  for (std::size_t s = 0; s < states_.size(); ++s)
    std::ranges::fill(users_.share[s], start_[s].constant);
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
  Users& after_click = last_click_matters_ ? clicked_[rank] : moved_;
  std::fill(moved_.possible.begin(), moved_.possible.end(), false);
  for (std::vector<double>& share : moved_.share)
    std::fill_n(share.begin(), shard.count(rank), 0.0);
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (!users_.possible[s]) continue;
    const StateNumbers& state = states_[s];
    for (const Way& way : state.after_skip) moved_.possible[way.to] = true;
    if (state.examines)
      for (const Way& way : state.after_click) after_click.possible[way.to] = true;
    const double* const share = users_.share[s].data();
    for_each_pack<double>(shard.count(rank), [&](std::size_t i, auto... count) {
      const std::size_t at = shard.begin(rank) + i;
      const auto value = [&](const Number& x) {
        return x.values == nullptr ? P(x.constant)
                                   : load(static_cast<const T*>(x.values) + at, count...);
      };
      const auto move = [&](const std::vector<Way>& ways, P from, Users& to) {
        for (const Way& way : ways)
          add(to.share[way.to].data() + i, max(from * value(way.probability), smallest_normal),
              count...);
      };
      const P users = P::load(share + i, count...);
      P skips = users;
      if (state.examines) {
        const P examine = users * value(state.examined), pass = users * value(state.not_examined);
        const P clicks = examine * value(state.attracted);
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
  return sizeof(double) * shard_sessions * (4 * longest + ranks_of_users * states_.size());
}

}  // namespace ultr
