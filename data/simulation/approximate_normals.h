#pragma once

#include <cstdint>
#include <span>

namespace ultr {

/// A bound of the error of approximate_normals.
inline constexpr float normal_error = 1e-5f;

/// Approximates, in a fraction of the time, the normal numbers that RandomStream::normal makes of
/// two draws each, first[i] and second[i]: normals[i] is within `normal_error` of it. Sets far[i]
/// to 1 if it may be farther away, as one in 10^4 is, and leaves it otherwise. All have the same
/// length, a multiple of 16.
void approximate_normals(std::span<const std::uint64_t> first,
                         std::span<const std::uint64_t> second, std::span<float> normals,
                         std::span<std::uint8_t> far);

}  // namespace ultr
