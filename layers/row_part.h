#pragma once

#include <cstdint>

namespace ultr {

/// The rows of a table that one of several processes has: `index`, index + count, index + 2 count
/// and so on, so that rows that are read often are spread over all. Each has equally many; the last
/// one of some stands for no row of the table. Without other processes all rows.
struct RowPart {
  std::int64_t index = 0, count = 1;

  /// Rows that each has of so many.
  std::int64_t held(std::int64_t rows) const { return (rows + count - 1) / count; }
  /// The row of the table that is number `held` here.
  std::int64_t row(std::int64_t held) const { return held * count + index; }
};

}  // namespace ultr
