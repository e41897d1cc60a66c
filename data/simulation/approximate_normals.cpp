#include "data/simulation/approximate_normals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kernels/vector_math.h"

namespace ultr {
namespace {

using FloatPack = Pack<float>;

/// Numbers that are computed at once, a multiple of a pack's.
constexpr std::size_t normals_at_once = 16;

/// cos(2πx) for x from -1/2 to 1/2, as sin(2π(1/4 - |x|)). Error below 1e-6.
FloatPack cosine_of_turns(FloatPack x) {
  constexpr float sine_polynomial[] = {1.0f,        -1 / 6.0f,    1 / 120.0f,
                                       -1 / 5040.f, 1 / 362880.f, -1 / 39916800.f};
  const FloatPack z = (FloatPack(0.25) - abs(x)) * FloatPack(2 * std::numbers::pi);
  return z * polynomial<float>(z * z, sine_polynomial);
}

}  // namespace

bool approximate_normals(std::uint64_t seed, RandomPurpose purpose, std::uint64_t index,
                         std::span<float> normals) {
  // By Box and Muller, normal number i is √(-2 ln(1 - u)) cos(2πv), where u comes from the lower
  // half of block i and v from the upper half of block i + 1: the upper half of block 0 is the
  // uniform number drawn before. The upper word of each half tells enough.
  constexpr std::uint32_t least_u = std::uint32_t{1} << 17,
                          least_complement = std::uint32_t{1} << 18;
  std::array<RandomBlock, normals_at_once + 1> blocks;
  std::array<float, normals_at_once> complement, turns;
  bool all_near = true;
  for (std::size_t begin = 0; begin < normals.size(); begin += normals_at_once) {
    const std::size_t count = std::min(normals_at_once, normals.size() - begin);
    random_blocks(seed, purpose, 0, index, static_cast<std::uint32_t>(begin), blocks);
    for (std::size_t i = 0; i < normals_at_once; ++i) {
      const std::uint32_t u = blocks[i][1], one_minus_u = ~u;
      complement[i] =
          (static_cast<float>(static_cast<std::int32_t>(one_minus_u >> 1)) + 0.5f) * 0x1p-31f;
      // From -1/2 on, since whole turns make no difference.
      turns[i] = static_cast<float>(static_cast<std::int32_t>(blocks[i + 1][3])) * 0x1p-32f;
      all_near &= (u >= least_u && one_minus_u >= least_complement) || i >= count;
    }
    std::array<float, normals_at_once> results;
    for (std::size_t i = 0; i < normals_at_once; i += FloatPack::size) {
      const Logarithm<float> reduced(FloatPack::load(&complement[i]));
      const FloatPack radius = sqrt(FloatPack(-2) * log_of_one_plus(reduced.f, reduced.k));
      (radius * cosine_of_turns(FloatPack::load(&turns[i]))).store(&results[i]);
    }
    std::copy_n(results.begin(), count, normals.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  return all_near;
}

}  // namespace ultr
