#pragma once

#include <cstdint>
#include <span>

#include "autograd/tape.h"
#include "data/column.h"

namespace ultr {

/// Features of query-document pairs, which nobody changes: a row of `count` numbers a pair of the
/// dictionary. Row 0, which stands for every pair that the dictionary does not have, is zeros.
/// Copies share the numbers.
class FeatureTable {
 public:
  /// No features.
  FeatureTable() = default;
  /// `values` are those of row 0, row 1, ..., `count` each. Throws DataError if they are no whole
  /// number of rows, or if row 0 is not zeros.
  FeatureTable(Column<float> values, std::int64_t count);

  bool empty() const { return count_ == 0; }
  std::int64_t rows() const { return rows_; }
  /// Features a pair.
  std::int64_t count() const { return count_; }
  std::span<const float> row(std::int64_t row) const {
    return values_.values().subspan(static_cast<std::size_t>(row * count_),
                                    static_cast<std::size_t>(count_));
  }
  /// For programs that gather rows; valid as long as any copy of the table lives.
  ParameterView view() const;

 private:
  Column<float> values_;
  std::int64_t rows_ = 0, count_ = 0;
};

}  // namespace ultr
