#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ultr {

/// What random numbers are for. Each purpose has its own numbers, so that using more for one does
/// not change another. Append only: the value is part of every result.
enum class RandomPurpose : std::uint32_t {
  initialisation = 1,
  shuffle = 2,
  dropout = 3,
  clicks = 4,      // sampled by a click model
  split = 5,       // of data into training, validation and test
  simulation = 6,  // queries, documents and rankings of simulated logs
  testing = 7,
  hashing = 8,          // which entries share a row
  resampling = 9,       // of sessions, by the bootstrap
  synthetic_data = 10,  // documents, their features and their relevance
};

/// 128 random bits.
using RandomBlock = std::array<std::uint32_t, 4>;

/// Block number `block` (below 2^27) of the stream with these arguments.
RandomBlock random_block(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                         std::uint64_t index, std::uint32_t block);

/// Uniform on 0 .. n-1, n > 0, from words of 32 random bits, one and rarely more (Lemire, Fast
/// random integer generation in an interval, 2019).
template <class Word>
std::uint32_t below_from_words(std::uint32_t n, Word next_word) {
  // The upper half of a product. Each result comes from as many words as any other if those whose
  // lower half is below 2^32 mod n are left out; to find that takes a division, which is not needed
  // if the lower half is at least n.
  std::uint64_t product = std::uint64_t{next_word()} * n;
  if (static_cast<std::uint32_t>(product) < n) {
    const std::uint32_t left_out = (0u - n) % n;
    while (static_cast<std::uint32_t>(product) < left_out) product = std::uint64_t{next_word()} * n;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

/// Random numbers that are a function of (seed, purpose, step, index) alone (Philox4x32-10 of
/// Random123, Salmon et al., 2011): no state is shared, so any number of threads in any order draws
/// the same numbers. One stream gives as many numbers as are asked for, in order.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step, std::uint64_t index);

  /// 64 random bits.
  std::uint64_t bits();
  /// Uniform on [0, 1), 53 bits.
  double uniform();
  /// Standard normal (Box-Muller).
  double normal();
  /// Uniform on 0 .. n-1, n > 0 (without the bias of a remainder).
  std::uint64_t below(std::uint64_t n);
  /// Puts numbers, at most 2^28, into a random order, all orders equally likely (Fisher and Yates),
  /// by a word a number, rarely more, from the stream's next block on. The stream is at its end
  /// then: what it would draw next is unspecified.
  void shuffle(std::span<std::uint32_t> numbers);

 private:
  std::uint64_t seed_, index_;
  RandomPurpose purpose_;
  std::uint32_t step_;
  std::uint32_t block_ = 0;
  std::uint64_t drawn_[2] = {};
  unsigned left_ = 0;
};

}  // namespace ultr
