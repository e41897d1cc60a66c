#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"

namespace ultr {

/// Draws from many streams at once, a fraction of the cost of one by one: sets first[i] and
/// second[i] to draws number 2 * block and 2 * block + 1, counted from 0, of the stream with index
/// indices[i]. They are what RandomStream::bits returns. There are as many draws as indices.
void draw_from_streams(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                       std::span<const std::uint64_t> indices, std::uint32_t block,
                       std::span<std::uint64_t> first, std::span<std::uint64_t> second);

/// Returns the uniform number in [0, 1) that RandomStream::uniform makes of a draw. The conversion
/// is of a signed number, which one instruction does.
inline double uniform_of_bits(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-53;
}

}  // namespace ultr
