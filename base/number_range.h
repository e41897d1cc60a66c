#pragma once

#include <cstddef>

namespace ultr {

/// The numbers first, first + 1, ... last - 1.
struct NumberRange {
  std::size_t first = 0, last = 0;

  std::size_t size() const { return last - first; }
};

/// Part `part` of `parts` of the numbers 0 ... count - 1: neighbours, about equally many in each.
inline NumberRange part_of(std::size_t count, std::size_t part, std::size_t parts) {
  return {count * part / parts, count * (part + 1) / parts};
}

}  // namespace ultr
