#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"

namespace ultr {

/// A bound of the error of approximate_normals.
inline constexpr float normal_error = 1e-5f;

/// Approximates the normal numbers that a stream gives after one uniform number, in a fraction of
/// the time: with
///
///     RandomStream random(seed, purpose, 0, index);
///     random.uniform();
///
/// normals[i] is within `normal_error` of the i-th call of random.normal(). Returns false if a
/// number may be farther away, as one in 10^4 is.
bool approximate_normals(std::uint64_t seed, RandomPurpose purpose, std::uint64_t index,
                         std::span<float> normals);

}  // namespace ultr
