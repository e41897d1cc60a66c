#include "base/random_streams.h"

#include "base/philox.h"

namespace ultr {

void draw_from_streams(std::uint64_t seed, RandomPurpose purpose, std::uint32_t step,
                       std::span<const std::uint64_t> indices, std::uint32_t block,
                       std::span<std::uint64_t> first, std::span<std::uint64_t> second) {
  std::size_t i = 0;
#if defined(__AVX2__)
  for (; i + counter_lanes <= indices.size(); i += counter_lanes) {
    LaneWords index;
    __builtin_memcpy(&index, &indices[i], sizeof index);
    const auto draws = philox_in_lanes(
        seed, {index, index >> 32, LaneWords{} + std::uint64_t{step},
               LaneWords{} + std::uint64_t{last_word(static_cast<std::uint32_t>(purpose), block)}});
    __builtin_memcpy(&first[i], &draws[0], sizeof draws[0]);
    __builtin_memcpy(&second[i], &draws[1], sizeof draws[1]);
  }
#endif
  for (; i < indices.size(); ++i) {
    const RandomBlock drawn =
        philox(seed, static_cast<std::uint32_t>(purpose), step, indices[i], block);
    first[i] = bits_of_block(drawn, 0);
    second[i] = bits_of_block(drawn, 1);
  }
}

}  // namespace ultr
