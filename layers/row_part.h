#pragma once

#include <cstdint>

namespace ultr {

/// The rows of a table that one of several processes holds: `index`, index + count, index + 2 count
/// and so on, so that rows that are read often are spread over all processes. Each process holds
/// equally many rows; the last row of some is padding. By default, a single process holds all rows.
struct RowPart {
  std::int64_t index = 0, count = 1;

  /// Number of rows that each process holds of a table with `rows` rows.
  std::int64_t held(std::int64_t rows) const { return (rows + count - 1) / count; }
  /// Maps row number `held` of this process to its row in the table.
  std::int64_t row(std::int64_t held) const { return held * count + index; }
};

}  // namespace ultr
