#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "data/log/shard.h"
#include "dsl/programs/chain_numbers.h"
#include "kernels/pack.h"

/// The numbers of a chain in vector registers, one session per lane. T is the type of the tape's
/// numbers, and N that of those that a pass computes with.
namespace ultr {

/// The share of users that stands for all smaller ones but 0, so that only what is impossible has
/// 0.
template <class N>
inline constexpr double smallest_share = double{std::numeric_limits<N>::min()};

/// Loads numbers of the tape.
template <class N, class T>
Pack<N> load_as(const T* from) {
  if constexpr (std::is_same_v<N, T>) {
    return Pack<N>::load(from);
  } else {
    typedef T Narrow __attribute__((vector_size(Pack<N>::size * sizeof(T))));
    Narrow narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    return {__builtin_convertvector(narrow, typename Pack<N>::Vector)};
  }
}
template <class N, class T>
Pack<N> load_as(const T* from, std::size_t count) {
  N numbers[Pack<N>::size] = {};
  std::copy_n(from, count, numbers);
  return Pack<N>::load(numbers);
}

/// Stores numbers in double precision.
inline void store_doubles(Pack<double> numbers, double* to) { numbers.store(to); }
inline void store_doubles(Pack<float> numbers, double* to) {
  typedef double Wide __attribute__((vector_size(2 * pack_bytes)));
  const Wide wide = __builtin_convertvector(numbers.vector, Wide);
  std::memcpy(to, &wide, sizeof wide);
}
template <class N>
void store_doubles(Pack<N> numbers, double* to, std::size_t count) {
  N lanes[Pack<N>::size];
  numbers.store(lanes);
  std::copy_n(lanes, count, to);
}

/// Returns p, given 1-p to full relative precision too: of p near 1, float32 keeps few digits.
inline Pack<double> exact_p(Pack<double> p, Pack<double> complement) {
  return where(p > 0.5, 1 - complement, p);
}

/// Returns the numbers of documents `at` and following: of all lanes, or of the first `count`.
template <class N, class T, class... Count>
Pack<N> load_number(const ChainNumber& x, std::size_t at, Count... count) {
  return x.values == nullptr ? Pack<N>(x.constant)
                             : load_as<N>(static_cast<const T*>(x.values) + at, count...);
}

/// Memory for one pack of numbers.
template <class N>
struct alignas(pack_bytes) PackMemory {
  N numbers[Pack<N>::size];

  Pack<N> load() const { return Pack<N>::load(numbers); }
  void store(Pack<N> pack) { pack.store(numbers); }
  void add(Pack<N> pack) { store(load() + pack); }
};

/// Returns a share of users times a probability: the smallest number rather than 0, unless there
/// are none.
template <class N>
Pack<N> part_of_users(Pack<N> users, Pack<N> p) {
  return max(users * p, min(users, smallest_share<N>));
}

/// Looks out for sums of shares that are possible, but so small that parts of them may have been
/// rounded up to the smallest number of their type. That is never said of double precision.
template <class N>
class SmallShares {
 public:
  /// Looks at all lanes, or at the first `count`.
  void look_at(Pack<N> shares) {
    if constexpr (std::is_same_v<N, float>)
      least_ = min(least_, where(shares == Pack<N>(0), 1.0, shares));
  }
  void look_at(Pack<N> shares, std::size_t count) {
    look_at(where(first_lanes<N>(count), shares, 1.0));
  }
  bool found() const { return sum(where(least_ < Pack<N>(exact_from), 1.0, 0.0)) != 0; }

 private:
  static constexpr double exact_from = 1e-30;  // the smallest float, 1e-38, is nothing beside it

  Pack<N> least_{1};
};

/// Lets Pass<N, T>(arguments...).run(j) compute the numbers of sessions j and following, as many as
/// a pack of N has lanes, until all of a shard had their turn. N is T, until a pass of floats
/// returns false: it and those that follow are made in double precision, whose range suffices.
template <template <class N, class T> class Pass, class T, class... Arguments>
void run_passes(const Shard& shard, Arguments&&... arguments) {
  std::size_t j = 0;
  if constexpr (std::is_same_v<T, float>) {
    Pass<float, T> pass(arguments...);
    while (j < shard.sessions() && pass.run(j)) j += Pack<float>::size;
    if (j >= shard.sessions()) return;
  }
  for (Pass<double, T> pass(arguments...); j < shard.sessions(); j += Pack<double>::size)
    pass.run(j);
}

/// Calls step(rank, at, count...) for each rank of sessions j and following that are in one
/// register: their documents are those from `at` on, one per lane, or `count` if the lists of other
/// lanes have ended.
template <class N, class Step>
void for_each_rank(const Shard& shard, std::size_t j, Step step) {
  for (std::size_t rank = 0; rank < shard.longest() && j < shard.count(rank); ++rank)
    if (const std::size_t count = shard.count(rank) - j; count >= Pack<N>::size)
      step(rank, shard.begin(rank) + j);
    else
      step(rank, shard.begin(rank) + j, count);
}

}  // namespace ultr
