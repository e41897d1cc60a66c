#pragma once

#include <cstdint>

#include "base/random.h"

namespace ultr {

/// The number of parts that cross-validation holds out in turn, unless an option sets it.
inline constexpr std::uint64_t folds = 5;

/// Returns the part, 0 to count - 1, in which a group such as a query is held out: a draw from
/// (seed, group) alone.
inline std::uint64_t fold_of(std::uint64_t group, std::uint64_t seed, std::uint64_t count = folds) {
  return RandomStream(seed, RandomPurpose::split, 1, group).below(count);
}

}  // namespace ultr
