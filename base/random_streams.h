#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"

namespace ultr {

/// Sets blocks[i] to block number `block` of the stream with index indices[i] (random_block), for
/// many streams at once. A fraction of the cost of one by one, since vector instructions compute
/// several. There are as many blocks as indices.
void random_blocks_of_streams(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                              std::span<const std::uint64_t> indices, std::uint32_t block,
                              std::span<RandomBlock> blocks);

/// Returns the 64-bit draws that a stream takes from a block, `which` 0 or 1, in the order in which
/// RandomStream::bits returns them.
inline std::uint64_t bits_of_block(const RandomBlock& block, std::size_t which) {
  const std::size_t low = which == 0 ? 2 : 0;
  return block[low] | std::uint64_t{block[low + 1]} << 32;
}

}  // namespace ultr
