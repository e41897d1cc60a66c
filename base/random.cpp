#include "base/random.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <Random123/philox.h>

namespace ultr {
namespace {

/// Computes random_block. Inlined, so that the processor overlaps several blocks.
inline RandomBlock philox(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                          std::uint64_t index, std::uint32_t block) {
  // The purpose shares its word with the block number; a stream has 2^27 blocks.
  const r123::Philox4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), step,
       (static_cast<std::uint32_t>(purpose) << 27) ^ block}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const auto words = r123::Philox4x32()(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

}  // namespace

RandomBlock random_block(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                         std::uint64_t index, std::uint32_t block) {
  return philox(seed, purpose, step, index, block);
}

void random_blocks(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                   std::uint64_t index, std::uint32_t first, std::span<RandomBlock> blocks) {
  for (RandomBlock& block : blocks) block = philox(seed, purpose, step, index, first++);
}

RandomStream::RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                           std::uint64_t index)
    : seed_(seed), index_(index), purpose_(purpose), step_(step) {}

void RandomStream::draw_blocks() {
  std::array<RandomBlock, most_blocks> blocks;
  const std::span<RandomBlock> drawn = std::span(blocks).first(blocks_at_once_);
  random_blocks(seed_, purpose_, step_, index_, block_, drawn);
  block_ += blocks_at_once_;
  next_ = drawn_.size() - 2 * drawn.size();
  for (std::size_t i = next_; const RandomBlock& words : drawn) {
    drawn_[i++] = words[2] | static_cast<std::uint64_t>(words[3]) << 32;
    drawn_[i++] = words[0] | static_cast<std::uint64_t>(words[1]) << 32;
  }
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
