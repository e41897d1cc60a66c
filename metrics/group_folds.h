#pragma once

#include <cstdint>

#include "base/random.h"

namespace ultr {

/// Parts that cross-validation holds out in turn.
inline constexpr std::uint64_t folds = 5;

/// The part, 0 to folds - 1, that a group such as a query is held out with: a draw from
/// (seed, group) alone.
inline std::uint64_t fold_of(std::uint64_t group, std::uint64_t seed) {
  return RandomStream(seed, RandomPurpose::split, 1, group).below(folds);
}

}  // namespace ultr
