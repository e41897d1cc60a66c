#include "data/simulation/approximate_normals.h"

#include <array>
#include <cmath>
#include <numbers>

#include "kernels/vector_math.h"

namespace ultr {
namespace {

/// cos(2πx) for x from -1/2 to 1/2, as sin(2π(1/4 - |x|)). Error below 1e-6.
Pack<float> cosine_of_turns(Pack<float> x) {
  constexpr float sine_polynomial[] = {1.0f,        -1 / 6.0f,    1 / 120.0f,
                                       -1 / 5040.f, 1 / 362880.f, -1 / 39916800.f};
  const Pack<float> z = (Pack<float>(0.25) - abs(x)) * Pack<float>(2 * std::numbers::pi);
  return z * polynomial<float>(z * z, sine_polynomial);
}

/// Returns the upper word of a draw.
std::uint32_t upper_word(std::uint64_t draw) { return static_cast<std::uint32_t>(draw >> 32); }

}  // namespace

void approximate_normals(std::span<const std::uint64_t> first,
                         std::span<const std::uint64_t> second, std::span<float> normals,
                         std::span<std::uint8_t> far) {
  // By Box and Muller, a normal number is √(-2 ln(1 - u)) cos(2πv). The upper words of u and v tell
  // enough.
  constexpr std::uint32_t least_u = std::uint32_t{1} << 17,
                          least_complement = std::uint32_t{1} << 18;
  constexpr std::size_t at_once = 16;
  std::array<float, at_once> complement, turns;
  for (std::size_t begin = 0; begin < normals.size(); begin += at_once) {
    std::uint32_t some_far = 0;
    for (std::size_t i = 0; i < at_once; ++i) {
      const std::uint32_t u = upper_word(first[begin + i]), one_minus_u = ~u;
      complement[i] =
          (static_cast<float>(static_cast<std::int32_t>(one_minus_u >> 1)) + 0.5f) * 0x1p-31f;
      // From -1/2 on, since whole turns make no difference.
      turns[i] =
          static_cast<float>(static_cast<std::int32_t>(upper_word(second[begin + i]))) * 0x1p-32f;
      some_far |= (u < least_u ? 1u : 0u) | (one_minus_u < least_complement ? 1u : 0u);
    }
    for (std::size_t i = 0; i < at_once; i += Pack<float>::size) {
      const Logarithm<float> reduced(Pack<float>::load(&complement[i]));
      const Pack<float> radius = sqrt(Pack<float>(-2) * log_of_one_plus(reduced.f, reduced.k));
      (radius * cosine_of_turns(Pack<float>::load(&turns[i]))).store(&normals[begin + i]);
    }
    for (std::size_t i = 0; some_far != 0 && i < at_once; ++i)
      if (const std::uint32_t u = upper_word(first[begin + i]);
          u < least_u || ~u < least_complement)
        far[begin + i] = 1;
  }
}

}  // namespace ultr
