#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/random_streams.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <Random123/philox.h>

namespace ultr {
namespace {

/// Returns the last word of the counter. The purpose shares it with the number of the block, of
/// which a stream has 2^27.
std::uint32_t last_word(RandomPurpose purpose, std::uint32_t block) {
  return (static_cast<std::uint32_t>(purpose) << 27) ^ block;
}

/// Computes random_block. Inlined, so that the processor overlaps several blocks.
inline RandomBlock philox(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                          std::uint64_t index, std::uint32_t block) {
  const r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(index),
                                               static_cast<std::uint32_t>(index >> 32), step,
                                               last_word(purpose, block)}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const auto words = r123::Philox4x32()(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

#if defined(__AVX2__)
#if defined(__AVX512F__)
constexpr std::size_t lane_bytes = 64;
#else
constexpr std::size_t lane_bytes = 32;
#endif
constexpr std::size_t counter_lanes = lane_bytes / sizeof(std::uint64_t);
typedef std::uint64_t LaneWords __attribute__((vector_size(lane_bytes)));

/// Returns the products of the lower halves of the lanes with a number.
LaneWords products(LaneWords a, std::uint32_t b) {
#if defined(__AVX512F__)
  // Unmasked, GCC 12 warns of an undefined register in its own header.
  return reinterpret_cast<LaneWords>(
      _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(a), _mm512_set1_epi64(b)));
#else
  return reinterpret_cast<LaneWords>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), _mm256_set1_epi64x(b)));
#endif
}

/// Computes `counter_lanes` blocks, one per lane, and returns the draws that a stream takes from
/// them: all first ones and all second ones. The lower half of a lane of `x` holds a word of its
/// counter; the upper half may hold anything. Philox4x32-10 as in Random123. Inlined, so that the
/// processor overlaps several calls.
[[gnu::always_inline]] inline std::array<LaneWords, 2> philox_in_lanes(std::uint64_t seed,
                                                                       std::array<LaneWords, 4> x) {
  constexpr std::uint32_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
  constexpr std::uint64_t lower = 0xffffffff;
  auto key_0 = static_cast<std::uint32_t>(seed), key_1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round, key_0 += weyl_0, key_1 += weyl_1) {
    const LaneWords a = products(x[0], multiplier_0), b = products(x[2], multiplier_1);
    x = {(b >> 32) ^ x[1] ^ std::uint64_t{key_0}, b, (a >> 32) ^ x[3] ^ std::uint64_t{key_1}, a};
  }
  return {(x[2] & lower) | (x[3] << 32), (x[0] & lower) | (x[1] << 32)};
}

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

/// Computes `counter_lanes` consecutive blocks of a stream.
[[gnu::always_inline]] inline std::array<LaneWords, 2> consecutive_blocks(std::uint64_t seed,
                                                                          RandomPurpose purpose,
                                                                          std::uint32_t step,
                                                                          std::uint64_t index,
                                                                          std::uint32_t first) {
  LaneWords number{};
  for (std::size_t lane = 0; lane < counter_lanes; ++lane) number[lane] = lane + first;
  return philox_in_lanes(
      seed, {LaneWords{} + index, LaneWords{} + (index >> 32), LaneWords{} + std::uint64_t{step},
             number ^ std::uint64_t{last_word(purpose, 0)}});
}
#endif

}  // namespace

RandomBlock random_block(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                         std::uint64_t index, std::uint32_t block) {
  return philox(seed, purpose, step, index, block);
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
  for (; i < blocks.size(); ++i) blocks[i] = philox(seed, purpose, step, index, first++);
}

void draw_from_streams(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                       std::span<const std::uint64_t> indices, std::uint32_t block,
                       std::span<std::uint64_t> first, std::span<std::uint64_t> second) {
  std::size_t i = 0;
#if defined(__AVX2__)
  for (; i + counter_lanes <= indices.size(); i += counter_lanes) {
    LaneWords index;
    __builtin_memcpy(&index, &indices[i], sizeof index);
    const auto draws =
        philox_in_lanes(seed, {index, index >> 32, LaneWords{} + std::uint64_t{step},
                               LaneWords{} + std::uint64_t{last_word(purpose, block)}});
    __builtin_memcpy(&first[i], &draws[0], sizeof draws[0]);
    __builtin_memcpy(&second[i], &draws[1], sizeof draws[1]);
  }
#endif
  for (; i < indices.size(); ++i) {
    const RandomBlock drawn = philox(seed, purpose, step, indices[i], block);
    first[i] = bits_of_block(drawn, 0);
    second[i] = bits_of_block(drawn, 1);
  }
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
  next_ = drawn_.size() - 2 * blocks_at_once_;
#if defined(__AVX2__)
  for (std::size_t i = next_; i < drawn_.size(); i += 2 * counter_lanes) {
    const auto [first, second] = consecutive_blocks(seed_, purpose_, step_, index_, block_);
    store_in_turns(first, second, &drawn_[i]);
    block_ += static_cast<std::uint32_t>(counter_lanes);
  }
#else
  for (std::size_t i = next_; i < drawn_.size(); i += 2) {
    const RandomBlock words = philox(seed_, purpose_, step_, index_, block_++);
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
