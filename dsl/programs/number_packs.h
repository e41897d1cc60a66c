#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "dsl/programs/chain_numbers.h"
#include "kernels/pack.h"

/// The numbers of a chain in vector registers, one session per lane.
namespace ultr {

/// The share of users that stands for all smaller ones but 0, so that only what is impossible has
/// 0.
inline constexpr double smallest_share = std::numeric_limits<double>::min();

inline Pack<double> load_number(const double* from) { return Pack<double>::load(from); }
inline Pack<double> load_number(const double* from, std::size_t count) {
  return Pack<double>::load(from, count);
}
inline Pack<double> load_number(const float* from) {
  typedef float Half __attribute__((vector_size(sizeof(Pack<double>::Vector) / 2)));
  Half half;
  std::memcpy(&half, from, sizeof half);
  return {__builtin_convertvector(half, Pack<double>::Vector)};
}
inline Pack<double> load_number(const float* from, std::size_t count) {
  double numbers[Pack<double>::size] = {};
  std::copy_n(from, count, numbers);
  return Pack<double>::load(numbers);
}

/// Returns the numbers of documents `at` and following: of all lanes, or of the first `count`. T is
/// the type of the tape's numbers.
template <class T, class... Count>
Pack<double> load_number(const ChainNumber& x, std::size_t at, Count... count) {
  return x.values == nullptr ? Pack<double>(x.constant)
                             : load_number(static_cast<const T*>(x.values) + at, count...);
}

/// Memory for one pack of numbers.
struct alignas(64) PackMemory {
  double numbers[8];

  Pack<double> load() const { return Pack<double>::load(numbers); }
  void store(Pack<double> pack) { pack.store(numbers); }
  void add(Pack<double> pack) { store(load() + pack); }
};
static_assert(Pack<double>::size <= 8);

/// Returns a share of users times a probability: the smallest number rather than 0, unless there
/// are none.
inline Pack<double> part_of_users(Pack<double> users, Pack<double> p) {
  return max(users * p, min(users, smallest_share));
}

}  // namespace ultr
