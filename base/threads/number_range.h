#pragma once

#include <cstddef>

namespace ultr {

/// The half-open range of numbers first, first + 1, ..., last - 1.
struct NumberRange {
  std::size_t first = 0, last = 0;

  std::size_t size() const { return last - first; }
};

/// Returns part `part` (0-based) of the numbers 0 ... count - 1, split into `parts` contiguous
/// ranges whose sizes differ by at most 1.
inline NumberRange part_of(std::size_t count, std::size_t part, std::size_t parts) {
  return {count * part / parts, count * (part + 1) / parts};
}

}  // namespace ultr
