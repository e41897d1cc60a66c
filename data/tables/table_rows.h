#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/growing_column.h"
#include "data/log/key_numbering.h"
#include "data/tables/table_row_columns.h"
#include "data/text/raw_log.h"

namespace ultr {

/// The lines of rows that are numbered 0, 1, ... Takes 8 bytes per run of rows on successive lines:
/// in most files, all rows are one.
class RowLines {
 public:
  /// Adds the lines of the next rows, which are successive lines.
  void append(std::uint64_t line, std::size_t rows) {
    if (runs_.empty() || line != next_line_)
      runs_.push_back({rows_, static_cast<std::uint32_t>(line)});
    rows_ += static_cast<std::uint32_t>(rows);
    next_line_ = line + rows;
  }
  /// Returns the line of a row, modulo 2^32: it is the right one in files of fewer lines.
  std::uint32_t operator[](std::size_t row) const;
  std::size_t bytes() const { return runs_.bytes(); }

 private:
  struct Run {
    std::uint32_t row, line;  // of its start
  };
  GrowingColumn<Run> runs_;
  std::uint32_t rows_ = 0;
  std::uint64_t next_line_ = 0;
};

/// Rows of a table in memory, gathered into lists. Takes their columns, 4 bytes per row if rows of
/// different lists alternate, 8 for each row that is not on the line after the one before, and 36
/// to 48 bytes per list.
class TableRows {
 public:
  struct Setting {
    /// A row with counts becomes two lists of one document: one stands for its clicks, the other
    /// for the impressions without a click.
    TableRowParts parts{};
    bool times = false;                // pass lists on in the order of their times
    bool weights = false;              // lists have weights
    std::string_view row = "on line";  // tells where a row is, with its number, in messages
    std::string_view session = "data.columns.session";  // names the column of sessions in them
  };
  /// Counts of lists, whatever their weights, and of what they have that they should not have.
  struct Counts {
    std::uint64_t rows = 0;
    std::uint64_t truncated = 0;
    std::uint64_t lists = 0, documents = 0, clicks = 0;
    std::uint64_t at_first = 0;                  // lists that show a document at the first position
    std::uint64_t with_duplicates = 0;           // lists that show a document twice
    std::uint64_t first_duplicate_line = 0;      // line of the first such document
    std::uint64_t without_propensity = 0;        // rows
    std::uint64_t first_without_propensity = 0;  // line of the first of them
    std::optional<ListTimes> times{};            // of lists, if they have times
  };

  explicit TableRows(Setting setting) : setting_(setting), columns_(setting.parts) {}

  /// Returns the number of the list with a key, which starts with this call if it is new.
  std::uint32_t list_of(std::uint64_t key, std::uint64_t query);
  /// Starts a list without a key and returns its number.
  std::uint32_t new_list(std::uint64_t query);
  /// Sets the time of a list, which is that of its first row.
  void set_time(std::uint32_t list, std::uint64_t time);
  /// Sets the number of sessions that a list stands for, which is that of its first row.
  void set_weight(std::uint32_t list, double weight);
  /// Returns how many rows a list has, and counts more of them.
  std::uint32_t count_rows(std::uint32_t list, std::uint32_t more) {
    return std::exchange(lists_[list].rows_seen, lists_[list].rows_seen + more);
  }
  /// Adds a row to a list. Throws DataError if there are 2^32 rows.
  void add(std::uint32_t list, const TableRow& row, std::uint64_t line);
  /// Adds rows `first` to `first + count - 1` of columns, on successive lines, to a list. Throws
  /// DataError if there are 2^32 rows.
  void add(std::uint32_t list, const TableRowColumns& rows, std::size_t first, std::size_t count,
           std::uint64_t line);

  std::size_t rows() const { return columns_.size(); }
  std::size_t bytes() const;
  /// Smallest position of all rows; 65535 without rows.
  std::uint16_t smallest_position() const { return smallest_position_; }

  /// Calls take(list, counts of the list) for each list with rows, in the order in which they
  /// started, and forgets all. Propensities are left out if one of them is unknown. Positions are
  /// 0-based after `first_position` is subtracted. A list that is too long or shows two documents
  /// at one position, or that `take` rejects with a DataError, goes to `reject` with the number of
  /// a line.
  void pass_on(std::uint16_t first_position, const ReadRules& rules,
               const std::function<void(const RawList&)>& take,
               const std::function<void(std::uint64_t line, const class DataError&)>& reject,
               Counts& counts);

 private:
  struct List {
    std::uint64_t query;
    std::uint32_t rows = 0;       // that were added
    std::uint32_t rows_seen = 0;  // added or malformed
  };

  /// True if the rows of each list are neighbours, and lists are in their order.
  bool grouped() const { return lists_of_rows_.empty(); }
  /// Notes that `count` rows, the latest of columns_, are of this list and on successive lines.
  void add_to_list(std::uint32_t list, std::size_t count, std::uint64_t line);
  /// Returns the places of all rows, list after list; empty if they are in this order.
  std::vector<std::uint32_t> rows_by_list() const;
  std::vector<std::uint32_t> order_of_lists() const;
  void sort_by_position(std::vector<std::size_t>& places) const;
  void make_list(std::vector<std::size_t>& places, std::uint16_t first_position,
                 const ReadRules& rules, RawList& list, Counts& counts) const;
  /// Passes a list on with its weight, or the lists of a row with counts.
  void pass_on_list(RawList& raw, std::uint32_t list, std::size_t place,
                    const std::function<void(const RawList&)>& take, Counts& counts) const;
  static void pass_on_counted(const RawList& raw, const std::function<void(const RawList&)>& take,
                              Counts& counts);
  void count_duplicates(const RawList& list, const std::vector<std::size_t>& places,
                        Counts& counts);

  Setting setting_;
  KeyNumbering lists_by_key_;
  std::uint64_t last_key_ = 0;
  std::uint32_t last_list_ = 0;
  GrowingColumn<List> lists_;
  GrowingColumn<std::uint64_t> times_;  // of lists
  GrowingColumn<double> weights_;       // of lists
  TableRowColumns columns_;
  RowLines lines_;
  std::uint16_t smallest_position_ = 65535;
  std::uint64_t without_propensity_ = 0, first_without_propensity_ = 0;
  std::uint32_t list_of_last_row_ = 0;
  /// Empty while they are grouped: the lists of rows then follow from their numbers of rows.
  GrowingColumn<std::uint32_t> lists_of_rows_;
  std::vector<std::uint64_t> sorted_;  // documents of a list
};

}  // namespace ultr
