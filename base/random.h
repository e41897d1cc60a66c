#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ultr {

/// The purpose of random numbers. Each purpose has its own numbers, so that drawing more for one
/// does not change another. Append only: the values are part of every result.
enum class RandomPurpose : std::uint32_t {
  initialisation = 1,
  shuffle = 2,
  dropout = 3,
  clicks = 4,      // sampled by a click model
  split = 5,       // data into training, validation and test
  simulation = 6,  // queries, documents and rankings of simulated logs
  testing = 7,
  hashing = 8,          // which entries share a row
  resampling = 9,       // sessions, by the bootstrap
  synthetic_data = 10,  // documents, their features and their relevance
  boosting = 11,        // which documents and features a tree is grown on
};

/// 128 random bits.
using RandomBlock = std::array<std::uint32_t, 4>;

/// Returns block number `block` (below 2^27) of the stream with these arguments.
RandomBlock random_block(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                         std::uint64_t index, std::uint32_t block);

/// Sets `blocks` to consecutive blocks of a stream, the first of which has the number `first`.
/// Faster than one by one.
void random_blocks(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                   std::uint64_t index, std::uint32_t first, std::span<RandomBlock> blocks);

/// Sets `blocks` to the blocks number `block` of consecutive streams, the first of which has the
/// index `first`. Faster than one by one.
void random_blocks_of_streams(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                              std::uint64_t first, std::uint32_t block,
                              std::span<RandomBlock> blocks);

/// Returns the 64-bit draws that a stream takes from a block, `which` 0 or 1, in the order in which
/// RandomStream::bits returns them.
inline std::uint64_t bits_of_block(const RandomBlock& block, std::size_t which) {
  const std::size_t low = which == 0 ? 2 : 0;
  return block[low] | std::uint64_t{block[low + 1]} << 32;
}

/// Returns a uniform number in 0 .. n-1, n > 0, made from 32-bit random words: one, rarely more
/// (Lemire, Fast random integer generation in an interval, 2019).
template <class Word>
std::uint32_t below_from_words(std::uint32_t n, Word next_word) {
  // The result is the upper half of word * n. All results are equally likely if words are rejected
  // whose product has a lower half below 2^32 mod n. Computing that bound takes a division, which
  // is skipped if the lower half is at least n.
  std::uint64_t product = std::uint64_t{next_word()} * n;
  if (static_cast<std::uint32_t>(product) < n) {
    const std::uint32_t left_out = (0u - n) % n;
    while (static_cast<std::uint32_t>(product) < left_out) product = std::uint64_t{next_word()} * n;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

/// A stream of random numbers that depend only on (seed, purpose, step, index) (Philox4x32-10 of
/// Random123, Salmon et al., 2011). Streams share no state, so any number of threads in any order
/// draws the same numbers. A stream has 2^27 blocks of 128 bits.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step, std::uint64_t index);

  /// Returns 64 random bits.
  std::uint64_t bits() {
    if (next_ == drawn_.size()) draw_blocks();
    return drawn_[next_++];
  }
  /// Returns a uniform number in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Returns a standard normal number (Box-Muller).
  double normal();
  /// Returns a uniform number in 0 .. n-1, n > 0, without the bias of a remainder.
  std::uint64_t below(std::uint64_t n);
  /// Shuffles up to 2^28 numbers, all orders equally likely (Fisher and Yates). Takes one 32-bit
  /// word per number, rarely more, from the stream's next block on. Afterwards the stream is at its
  /// end: further draws are unspecified.
  void shuffle(std::span<std::uint32_t> numbers);

 private:
  static constexpr std::size_t most_blocks = 8;

  /// Draws the next blocks: first one, since most streams are short, then eight at once, which cost
  /// little more.
  void draw_blocks();

  std::uint64_t seed_, index_;
  RandomPurpose purpose_;
  std::uint32_t step_;
  std::uint32_t block_ = 0, blocks_at_once_ = 1;
  std::array<std::uint64_t, 2 * most_blocks> drawn_{};  // at the end, in the order of use
  std::size_t next_ = 2 * most_blocks;
};

}  // namespace ultr
