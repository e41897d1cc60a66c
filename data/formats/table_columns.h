#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/fields.h"

namespace ultr {

/// A column of a table that a reader uses.
struct TableColumn {
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t at = none;  // its place from the left, from 0
  std::string label;      // "column 'clicked'", for messages

  bool exists() const { return at != none; }
};

/// A shape of tables: one row per shown document, per judged document of a query, or per query,
/// document and position with counts.
enum class TableShape : std::uint8_t { shown, judged, counted };

/// The columns of a table, as found in its header.
struct TableLayout {
  TableShape shape = TableShape::shown;
  std::size_t columns = 0;  // of the table
  TableColumn session{}, query{}, document{}, position{}, click{}, label{}, propensity{}, time{},
      impressions{}, clicks{};
};

/// The user's names of a table's columns: section `columns`. A column whose name is empty is the
/// one that is called as its field.
struct TableColumns final : Options {
  std::string session, query, document, position, click, label, propensity, time, impressions,
      clicks;

  void fields(Fields& f) override;
  /// Finds the columns in a table. A table without clicks is one of judged documents if it has
  /// labels, and one of counts if it has impressions. `names`: its header, or empty if it has none
  /// and columns are given by their numbers, from 1; then `count` is the number of its columns.
  /// Throws DataError if a column is missing, with the nearest name.
  TableLayout find(std::span<const std::string_view> names, std::size_t count) const;
};

}  // namespace ultr
