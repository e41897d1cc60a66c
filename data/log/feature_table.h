#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "autograd/tape/tape.h"
#include "base/files/column.h"
#include "data/log/token_table.h"

namespace ultr {

/// The immutable features of query-document pairs: one row of count() numbers per pair of the
/// dictionary. Row 0 is zero; it stands for every pair that the dictionary does not have. Copies
/// share the numbers.
class FeatureTable {
 public:
  /// No features.
  FeatureTable() = default;
  /// `values` are row 0, row 1, ..., with `count` numbers each. The last `bias_count` of them,
  /// fewer than `count`, are bias features. `may_miss`: those of relevance may be missing, NaN.
  /// Throws DataError if the values do not fill rows or row 0 is not zero.
  FeatureTable(Column<float> values, std::int64_t count, std::int64_t bias_count = 0,
               bool may_miss = false);

  bool empty() const { return count_ == 0; }
  std::int64_t rows() const { return rows_; }
  /// Features per pair.
  std::int64_t count() const { return count_; }
  std::span<const float> row(std::int64_t row) const {
    return values_.values().subspan(static_cast<std::size_t>(row * count_),
                                    static_cast<std::size_t>(count_));
  }
  /// Number of features that describe how a document was displayed (see BiasColumns), and of those
  /// that describe its relevance.
  std::int64_t bias_count() const { return bias_count_; }
  std::int64_t relevance_count() const { return count_ - bias_count_; }
  /// Returns true if features of relevance may be missing (NaN).
  bool may_miss() const { return may_miss_; }
  /// Returns the owner of the numbers, which live as long as it does.
  const std::shared_ptr<const void>& owner() const { return values_.owner(); }
  /// The words of the same pairs; empty if the data have none.
  const TokenTable& tokens() const { return tokens_; }
  /// Throws DataError unless there are as many rows of words as of features.
  void set_tokens(TokenTable tokens);
  /// Returns a table whose row i + 1 is that of rows[i], with its words.
  FeatureTable of_rows(std::span<const std::uint32_t> rows) const;
  // Views for programs that gather rows; valid as long as any copy of the table lives.
  ParameterView relevance_view() const { return view(0, relevance_count()); }
  ParameterView bias_view() const { return view(relevance_count(), bias_count_); }

 private:
  ParameterView view(std::int64_t first, std::int64_t columns) const;

  Column<float> values_;
  TokenTable tokens_;
  std::int64_t rows_ = 0, count_ = 0, bias_count_ = 0;
  bool may_miss_ = false;
};

}  // namespace ultr
