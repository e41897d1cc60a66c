#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/growing_column.h"
#include "data/log/signals.h"
#include "data/log/token_columns.h"

namespace ultr {

/// A row of a table of shown documents.
struct TableRow {
  std::uint64_t document = 0;
  std::uint16_t position = 0;  // displayed, as the file counts
  std::uint8_t click = 0;      // 0 or 1
  int label = 0;
  float propensity = 0;  // NaN if unknown
  std::span<const float> features{};
  DocumentTokens words{};
  std::uint32_t impressions = 0, clicks = 0;  // of a row that counts
  PerSignal<std::uint16_t> signals{};
};

/// Which columns the rows of a table have besides documents and positions.
struct TableRowParts {
  bool clicks = true, labels = false, propensities = false;
  std::size_t features = 0;   // numbers per row
  bool words = false;         // texts, as tokens
  bool counts = false;        // impressions and clicks in place of one click
  PerSignal<bool> signals{};  // signals that rows have
};

/// Rows of a table, a column for each of their parts. Takes 10 bytes per row, 1 more with clicks, 1
/// with labels, 4 with propensities, 4 per feature, 2 per signal, 8 with counts, and 8 with words
/// and 5 per word.
struct TableRowColumns {
  explicit TableRowColumns(const TableRowParts& row_parts) : parts(row_parts) {}

  std::size_t size() const { return documents.size(); }
  std::size_t bytes() const;
  void push_back(const TableRow& row);
  /// Appends rows `first` to `first + count - 1` of other columns with the same parts.
  void append(const TableRowColumns& other, std::size_t first, std::size_t count);
  /// The tokens of a row.
  DocumentTokens words(std::size_t row) const;

  TableRowParts parts;
  GrowingColumn<std::uint64_t> documents;
  GrowingColumn<std::uint16_t> positions;
  GrowingColumn<std::uint8_t> clicked;
  GrowingColumn<std::int8_t> labels;
  GrowingColumn<float> propensities, features;
  GrowingColumn<std::uint32_t> impressions, clicks;
  PerSignal<GrowingColumn<std::uint16_t>> signals;

 private:
  std::size_t first_token(std::size_t row) const {
    return row == 0 ? 0 : static_cast<std::size_t>(last_tokens_[row - 1]);
  }

  GrowingColumn<std::uint32_t> tokens_;  // of all rows, like the next
  GrowingColumn<std::uint8_t> types_;
  GrowingColumn<std::uint64_t> last_tokens_;  // of each row: the end of its tokens
};

}  // namespace ultr
