#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <Random123/philox.h>

/// Philox4x32-10 of Random123, block by block and a register of blocks at a time. Internal to the
/// library: a register's size depends on compiler flags.
namespace ultr {

/// Returns the last word of the counter. The purpose shares it with the number of the block, of
/// which a stream has 2^27.
inline std::uint32_t last_word(std::uint32_t purpose, std::uint32_t block) {
  return (purpose << 27) ^ block;
}

/// Computes a block (random_block). Inlined, so that the processor overlaps several blocks.
inline std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::uint32_t purpose,
                                           std::uint32_t step, std::uint64_t index,
                                           std::uint32_t block) {
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
inline constexpr std::size_t lane_bytes = 64;
#else
inline constexpr std::size_t lane_bytes = 32;
#endif
inline constexpr std::size_t counter_lanes = lane_bytes / sizeof(std::uint64_t);
typedef std::uint64_t LaneWords __attribute__((vector_size(lane_bytes)));

/// Returns the products of the lower halves of the lanes with a number.
inline LaneWords products(LaneWords a, std::uint32_t b) {
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

#endif

}  // namespace ultr
