#include "base/random.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/philox.h"

namespace ultr {
namespace {

#if defined(__AVX2__)
/// Stores lanes in turns: lane 0 of `even`, lane 0 of `odd`, lane 1 of `even`, ....
template <std::size_t... lane>
void store_in_turns(LaneWords even, LaneWords odd, void* to, std::index_sequence<lane...>) {
  constexpr std::size_t half = counter_lanes / 2;
  const LaneWords parts[] = {
      __builtin_shufflevector(even, odd, (lane % 2 * counter_lanes + lane / 2)...),
      __builtin_shufflevector(even, odd, (lane % 2 * counter_lanes + lane / 2 + half)...)};
  __builtin_memcpy(to, parts, sizeof parts);
}
void store_in_turns(LaneWords even, LaneWords odd, void* to) {
  store_in_turns(even, odd, to, std::make_index_sequence<counter_lanes>{});
}

/// Returns first, first + 1, first + 2, ....
LaneWords counted_from(std::uint64_t first) {
  LaneWords number{};
  for (std::size_t lane = 0; lane < counter_lanes; ++lane) number[lane] = lane + first;
  return number;
}

/// Computes one block per lane, of the streams and with the numbers that the lanes have.
[[gnu::always_inline]] inline std::array<LaneWords, 2> blocks_in_lanes(std::uint64_t seed,
                                                                       RandomPurpose purpose,
                                                                       std::uint32_t step,
                                                                       LaneWords index,
                                                                       LaneWords number) {
  return philox_in_lanes(
      seed, {index, index >> 32, LaneWords{} + std::uint64_t{step},
             number ^ std::uint64_t{last_word(static_cast<std::uint32_t>(purpose), 0)}});
}

/// Computes `counter_lanes` consecutive blocks of a stream.
[[gnu::always_inline]] inline std::array<LaneWords, 2> consecutive_blocks(std::uint64_t seed,
                                                                          RandomPurpose purpose,
                                                                          std::uint32_t step,
                                                                          std::uint64_t index,
                                                                          std::uint32_t first) {
  return blocks_in_lanes(seed, purpose, step, LaneWords{} + index, counted_from(first));
}
#endif

}  // namespace

RandomBlock random_block(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                         std::uint64_t index, std::uint32_t block) {
  return philox(seed, static_cast<std::uint32_t>(purpose), step, index, block);
}

void random_blocks(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                   std::uint64_t index, std::uint32_t first, std::span<RandomBlock> blocks) {
  std::size_t i = 0;
#if defined(__AVX2__)
  for (; i + counter_lanes <= blocks.size();
       i += counter_lanes, first += static_cast<std::uint32_t>(counter_lanes)) {
    const auto draws = consecutive_blocks(seed, purpose, step, index, first);
    store_in_turns(draws[1], draws[0], &blocks[i]);  // as words are in a block
  }
#endif
  for (; i < blocks.size(); ++i) blocks[i] = random_block(seed, purpose, step, index, first++);
}

void random_blocks_of_streams(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                              std::uint64_t first, std::uint32_t block,
                              std::span<RandomBlock> blocks) {
  std::size_t i = 0;
#if defined(__AVX2__)
  for (; i + counter_lanes <= blocks.size(); i += counter_lanes, first += counter_lanes) {
    const auto draws = blocks_in_lanes(seed, purpose, step, counted_from(first),
                                       LaneWords{} + std::uint64_t{block});
    store_in_turns(draws[1], draws[0], &blocks[i]);  // as words are in a block
  }
#endif
  for (; i < blocks.size(); ++i) blocks[i] = random_block(seed, purpose, step, first++, block);
}

RandomStream::RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                           std::uint64_t index)
    : seed_(seed), index_(index), purpose_(purpose), step_(step) {
#if defined(__AVX2__)
  static_assert(most_blocks % counter_lanes == 0);
  blocks_at_once_ = static_cast<std::uint32_t>(counter_lanes);  // as fast as one
#endif
}

void RandomStream::draw_blocks() {
  next_ = drawn_.size() - 2 * std::size_t{blocks_at_once_};
#if defined(__AVX2__)
  for (std::size_t i = next_; i < drawn_.size(); i += 2 * counter_lanes) {
    const auto [first, second] = consecutive_blocks(seed_, purpose_, step_, index_, block_);
    store_in_turns(first, second, &drawn_[i]);
    block_ += static_cast<std::uint32_t>(counter_lanes);
  }
#else
  for (std::size_t i = next_; i < drawn_.size(); i += 2) {
    const RandomBlock words = random_block(seed_, purpose_, step_, index_, block_++);
    drawn_[i] = bits_of_block(words, 0);
    drawn_[i + 1] = bits_of_block(words, 1);
  }
#endif
  blocks_at_once_ = most_blocks;
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  // Draws from the last, incomplete range of n numbers are rejected: they would favour small
  // results.
  for (;;) {
    const std::uint64_t drawn = bits(), result = drawn % n;
    if (drawn - result <= ~std::uint64_t{0} - n) return result;
  }
}

void RandomStream::shuffle(std::span<std::uint32_t> numbers) {
  block_ -= static_cast<std::uint32_t>((drawn_.size() - next_) / 2);  // drawn, but not begun
  constexpr std::size_t blocks_at_once = 16;
  std::array<RandomBlock, blocks_at_once> blocks;
  std::size_t next = 4 * blocks_at_once;
  const auto word = [&] {
    if (next == 4 * blocks_at_once) {
      random_blocks(seed_, purpose_, step_, index_, block_, blocks);
      block_ += static_cast<std::uint32_t>(blocks_at_once);
      next = 0;
    }
    const std::uint32_t drawn = blocks[next / 4][next % 4];
    ++next;
    return drawn;
  };
  for (std::size_t i = numbers.size(); i > 1; --i)
    std::swap(numbers[i - 1], numbers[below_from_words(static_cast<std::uint32_t>(i), word)]);
}

}  // namespace ultr
