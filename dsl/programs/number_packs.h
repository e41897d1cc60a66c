#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "data/log/shard.h"
#include "dsl/programs/chain_numbers.h"
#include "kernels/pack_group.h"

/// The numbers of a chain in vector registers, one session per lane. T is the type of the tape's
/// numbers, and P what a pass computes with: a pack, or a group of packs side by side.
namespace ultr {

/// The share of users that stands for all smaller ones but 0, so that only what is impossible has
/// 0.
template <class N>
inline constexpr double smallest_share = double{std::numeric_limits<N>::min()};

/// Loads numbers of the tape: of all lanes, or of the first `count`.
template <class P, class T, class... Count>
P load_as(const T* from, Count... count) {
  if constexpr (std::is_same_v<typename P::Scalar, T>) {
    return P::load(from, count...);
  } else {
    typedef T Narrow __attribute__((vector_size(P::size * sizeof(T))));
    Narrow narrow{};
    std::memcpy(&narrow, from, std::min({P::size, count...}) * sizeof(T));
    return {__builtin_convertvector(narrow, typename P::Vector)};
  }
}

/// Returns numbers in double precision.
inline std::array<Pack<double>, 1> doubles_of(Pack<double> numbers) { return {numbers}; }
inline std::array<Pack<double>, 2> doubles_of(Pack<float> numbers) {
  // All at once: GCC converts half a register in several steps.
  typedef double Wide __attribute__((vector_size(2 * pack_bytes)));
  const Wide wide = __builtin_convertvector(numbers.vector, Wide);
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<Pack<double>, 2>{__builtin_shufflevector(wide, wide, i...),
                                       __builtin_shufflevector(wide, wide, (sizeof...(i) + i)...)};
  }(std::make_index_sequence<Pack<double>::size>());
}

/// Stores numbers in double precision: all of them, or the first `count`.
template <std::size_t n>
void store_doubles(const std::array<Pack<double>, n>& numbers, double* to) {
  for (std::size_t i = 0; i < n; ++i) numbers[i].store(to + i * Pack<double>::size);
}
template <std::size_t n>
void store_doubles(const std::array<Pack<double>, n>& numbers, double* to, std::size_t count) {
  for (std::size_t i = 0; i < n; ++i)
    numbers[i].store(to + i * Pack<double>::size, lanes_of_pack<double>(i, count));
}

/// Returns p, given 1-p to full relative precision too: of p near 1, float32 keeps few digits.
inline Pack<double> exact_p(Pack<double> p, Pack<double> complement) {
  return where(p > 0.5, 1 - complement, p);
}

/// Returns the numbers of documents `at` and following: of all lanes, or of the first `count`.
template <class P, class T, class... Count>
P load_number(const ChainNumber& x, std::size_t at, Count... count) {
  return x.values == nullptr ? P(x.constant)
                             : load_as<P>(static_cast<const T*>(x.values) + at, count...);
}

/// Returns the lanes of documents `at` and following that were clicked.
template <class P, class... Count>
auto load_clicked(const Shard& shard, std::size_t at, Count... count) {
  return load_mask_of(std::type_identity<P>(), shard.clicks().data() + at, count...);
}

/// Returns a share of users times a probability: the smallest number rather than 0, unless there
/// are none.
template <class P>
P part_of_users(const P& users, const P& p) {
  return max(users * p, min(users, smallest_share<typename P::Scalar>));
}

/// Looks out for sums of shares that are possible, but so small that parts of them may have been
/// rounded up to the smallest number of their type. That is never said of double precision.
template <class P>
class SmallShares {
 public:
  /// Looks at all lanes, or at the first `count`.
  void look_at(const P& shares) {
    if constexpr (std::is_same_v<typename P::Scalar, float>)
      least_ = min(least_, where(shares == P(0), 1.0, shares));
  }
  void look_at(const P& shares, std::size_t count) {
    look_at(where(first_lanes_of(std::type_identity<P>(), count), shares, 1.0));
  }
  bool found() const {
    PackMemory<P> least;
    least.store(least_);
    return std::ranges::any_of(least.numbers, [](auto x) { return x < exact_from; });
  }

 private:
  static constexpr double exact_from = 1e-30;  // the smallest float, 1e-38, is nothing beside it

  P least_{1};
};

/// The packs of sessions that a pass moves side by side: while one waits for its numbers of the
/// rank before, the others go on. Four were as fast as two on AVX2.
inline constexpr std::size_t packs_in_pass = 2;

/// Lets Pass<P, T>(arguments...).run(j) compute the numbers of sessions j and following, as many as
/// P has lanes, until all of a shard had their turn. P has numbers of type T, until a pass of
/// floats returns false: it and those that follow are made in double precision, whose range
/// suffices.
template <template <class P, class T> class Pass, class T, class... Arguments>
void run_passes(const Shard& shard, Arguments&&... arguments) {
  std::size_t j = 0;
  if constexpr (std::is_same_v<T, float>) {
    using P = PackGroup<float, packs_in_pass>;
    Pass<P, T> pass(arguments...);
    while (j < shard.sessions() && pass.run(j)) j += P::size;
    if (j >= shard.sessions()) return;
  }
  using P = Pack<double>;
  for (Pass<P, T> pass(arguments...); j < shard.sessions(); j += P::size) pass.run(j);
}

/// Calls step(rank, at, count...) for each rank of sessions j and following, as many as P has
/// lanes: their documents are those from `at` on, one per lane, or `count` if the lists of other
/// lanes have ended.
template <class P, class Step>
void for_each_rank(const Shard& shard, std::size_t j, Step step) {
  for (std::size_t rank = 0; rank < shard.longest() && j < shard.count(rank); ++rank)
    if (const std::size_t count = shard.count(rank) - j; count >= P::size)
      step(rank, shard.begin(rank) + j);
    else
      step(rank, shard.begin(rank) + j, count);
}

}  // namespace ultr
