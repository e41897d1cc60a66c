#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/signals.h"
#include "data/log/token_columns.h"
#include "options/fields.h"

namespace ultr {

/// A column of a table that a reader uses.
struct TableColumn {
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t at = none;  // its place from the left, from 0
  std::string label;      // "column 'clicked'", for messages

  bool exists() const { return at != none; }
};

/// Returns the place of the column with a name; TableColumn::none if the header has none. Throws
/// DataError if it has several.
std::size_t place_of_column(std::string_view name, std::span<const std::string_view> header);

/// A shape of tables: one row per document of a list, or one per query, document and position with
/// counts.
enum class TableShape : std::uint8_t { documents, counted };

/// The lists that are read from a table.
enum class TableUse : std::uint8_t {
  log,      // lists with clicks, judged lists of queries, or counts
  judged,   // judged lists of queries, whatever else the table has
  scoring,  // the same, or lists with neither
  lists,    // documents with features, and with whatever else the table has
};

/// The columns of a table, as found in its header.
struct TableLayout {
  TableShape shape = TableShape::documents;
  std::size_t columns = 0;  // of the table
  TableColumn session{}, user{}, query{}, document{}, position{}, click{}, label{}, propensity{},
      time{}, weight{}, impressions{}, clicks{};
  std::vector<TableColumn> features{};  // the bias features come last
  /// Texts of the query, of the document's title and of its abstract.
  std::array<TableColumn, largest_token_type + 1> words{};
  PerSignal<TableColumn> signals{};
  std::vector<TableColumn> unused{};  // columns of single lists in a table of counts

  bool has_clicks() const { return click.exists() || shape == TableShape::counted; }
};

/// The user's names of a table's columns: section `columns`. A column whose name is empty is the
/// one that is called as its field.
struct TableColumns final : Options {
  std::string session, user, query, document, position, click, label, propensity, time, weight,
      impressions, clicks;
  std::vector<std::string> features, bias_features;
  std::string query_words, title, abstract;
  PerSignal<std::string> signals;
  /// The options by which the user names columns, for messages: {"query", "--query-column"}. Others
  /// have none then. If empty, the options are the fields.
  std::map<std::string, std::string, std::less<>> options;

  void fields(Fields& f) override;
  /// Throws ConfigError if a feature is named twice, or if all are bias features.
  void check() const;
  /// Returns true if the user names a column with words.
  bool has_words() const { return !query_words.empty() || !title.empty() || !abstract.empty(); }
  /// Number of features, bias features included.
  std::size_t feature_count() const { return features.size() + bias_features.size(); }
  /// Finds the columns in a table. `names`: its header, or empty if it has none and columns are
  /// given by their numbers, from 1; then `count` is the number of its columns. Throws DataError if
  /// a column is missing, with the nearest name, or there twice.
  TableLayout find(std::span<const std::string_view> names, std::size_t count, TableUse use) const;

 private:
  class ColumnFinder;

  TableLayout find_counted(const ColumnFinder& columns, TableUse use) const;
  TableLayout find_documents(const ColumnFinder& columns, TableUse use) const;
};

}  // namespace ultr
