#pragma once

#include <cstdint>
#include <span>

#include "autograd/tape.h"
#include "base/column.h"

namespace ultr {

/// Features of query-document pairs, which nobody changes: a row of `count()` numbers a pair of the
/// dictionary. Row 0, which stands for every pair that the dictionary does not have, is zeros.
/// Copies share the numbers.
class FeatureTable {
 public:
  /// No features.
  FeatureTable() = default;
  /// `values` are those of row 0, row 1, ..., `count` each, of which the last `bias_count` (fewer)
  /// are bias features. Throws DataError if they are no whole number of rows, or if row 0 is not
  /// zeros.
  FeatureTable(Column<float> values, std::int64_t count, std::int64_t bias_count = 0);

  bool empty() const { return count_ == 0; }
  std::int64_t rows() const { return rows_; }
  /// Features a pair.
  std::int64_t count() const { return count_; }
  std::span<const float> row(std::int64_t row) const {
    return values_.values().subspan(static_cast<std::size_t>(row * count_),
                                    static_cast<std::size_t>(count_));
  }
  /// What tells how documents were displayed (see BiasColumns), and what tells their relevance.
  std::int64_t bias_count() const { return bias_count_; }
  std::int64_t relevance_count() const { return count_ - bias_count_; }
  // For programs that gather rows; valid as long as any copy of the table lives.
  ParameterView relevance_view() const { return view(0, relevance_count()); }
  ParameterView bias_view() const { return view(relevance_count(), bias_count_); }

 private:
  ParameterView view(std::int64_t first, std::int64_t columns) const;

  Column<float> values_;
  std::int64_t rows_ = 0, count_ = 0, bias_count_ = 0;
};

}  // namespace ultr
