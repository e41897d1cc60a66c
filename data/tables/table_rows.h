#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_column.h"
#include "data/log/key_numbering.h"
#include "data/text/raw_log.h"

namespace ultr {

/// A row of a table of shown documents.
struct TableRow {
  std::uint64_t document = 0;
  std::uint64_t line = 0;      // where it stands in the file, from 1
  std::uint16_t position = 0;  // displayed, as the file counts
  std::uint8_t click = 0;      // 0 or 1
  int label = 0;
  float propensity = 0;  // NaN if unknown
  std::span<const float> features{};
  DocumentTokens words{};
  std::uint32_t impressions = 0, clicks = 0;  // of a row that counts
  PerSignal<std::uint16_t> signals{};
};

/// The lines of rows that are numbered 0, 1, ... Takes 8 bytes per run of rows on successive lines:
/// in most files, all rows are one.
class RowLines {
 public:
  /// Adds the line of the next row.
  void push_back(std::uint64_t line) {
    if (runs_.empty() || line != next_line_)
      runs_.push_back({rows_, static_cast<std::uint32_t>(line)});
    ++rows_;
    next_line_ = line + 1;
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

/// Rows of a table in memory, gathered into lists. Takes 11 to 16 bytes per row, 4 more if rows of
/// different lists alternate, 8 more for each that is not on the line after the one before, 4 per
/// feature, 2 per signal, 8 with words and 5 per word, and 36 to 48 bytes per list.
class TableRows {
 public:
  struct Setting {
    bool clicks = true, labels = false, propensities = false;  // columns that rows have
    std::size_t features = 0;                                  // numbers per row
    bool words = false;                                        // rows have words
    /// Each row has counts, and becomes two lists of one document: one stands for its clicks, the
    /// other for the impressions without a click.
    bool counts = false;
    bool times = false;                // pass lists on in the order of their times
    bool weights = false;              // lists have weights
    PerSignal<bool> signals{};         // signals that rows have
    std::string_view row = "on line";  // tells where a row is, with its number, in messages
    std::string_view session = "data.columns.session";  // names the column of sessions in them
  };
  /// Counts of lists, by their weights, and of what they have that they should not have.
  struct Counts {
    std::uint64_t rows = 0;
    std::uint64_t truncated = 0;
    double lists = 0, documents = 0, clicks = 0;
    double at_first = 0;                         // lists that show a document at the first position
    std::uint64_t with_duplicates = 0;           // lists that show a document twice
    std::uint64_t first_duplicate_line = 0;      // line of the first such document
    std::uint64_t without_propensity = 0;        // rows
    std::uint64_t first_without_propensity = 0;  // line of the first of them
  };

  explicit TableRows(Setting setting) : setting_(setting) {}

  /// Returns the number of the list with a key, which starts with this call if it is new.
  std::uint32_t list_of(std::uint64_t key, std::uint64_t query);
  /// Starts a list without a key and returns its number.
  std::uint32_t new_list(std::uint64_t query);
  /// Sets the time of a list, which is that of its first row.
  void set_time(std::uint32_t list, std::uint64_t time);
  /// Sets the number of sessions that a list stands for, which is that of its first row.
  void set_weight(std::uint32_t list, double weight);
  /// Returns how many rows a list has, and counts one more.
  std::uint32_t count_row(std::uint32_t list) { return lists_[list].rows_seen++; }
  /// Adds a row to a list. Throws DataError if there are 2^32 rows.
  void add(std::uint32_t list, const TableRow& row);

  std::size_t rows() const { return documents_.size(); }
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
  /// Notes that the next row is of this list.
  void add_to_list(std::uint32_t list);
  /// Returns the places of all rows, list after list; empty if they are in this order.
  std::vector<std::uint32_t> rows_by_list() const;
  std::vector<std::uint32_t> order_of_lists() const;
  DocumentTokens words(std::size_t row) const;
  void sort_by_position(std::vector<std::size_t>& places) const;
  void make_list(std::vector<std::size_t>& places, std::uint16_t first_position,
                 const ReadRules& rules, RawList& list, Counts& counts) const;
  /// Passes a list on with its weight, or the lists of a row with counts.
  void pass_on_list(RawList& raw, std::uint32_t list, std::size_t place,
                    const std::function<void(const RawList&)>& take, Counts& counts) const;
  static void pass_on_weighted(const RawList& raw, const std::function<void(const RawList&)>& take,
                               Counts& counts);
  void count_duplicates(const RawList& list, const std::vector<std::size_t>& places,
                        Counts& counts);

  Setting setting_;
  KeyNumbering lists_by_key_;
  std::uint64_t last_key_ = 0;
  std::uint32_t last_list_ = 0;
  GrowingColumn<List> lists_;
  GrowingColumn<std::uint64_t> times_;      // of lists
  GrowingColumn<double> weights_;           // of lists
  GrowingColumn<std::uint64_t> documents_;  // of rows, like the next
  GrowingColumn<std::uint16_t> positions_;
  GrowingColumn<std::uint8_t> clicked_;
  RowLines lines_;
  GrowingColumn<std::int8_t> labels_;
  GrowingColumn<float> propensities_, features_;
  GrowingColumn<std::uint32_t> tokens_;  // of all rows, like the next
  GrowingColumn<std::uint8_t> types_;
  GrowingColumn<std::uint64_t> last_tokens_;  // of each row: the end of its tokens
  GrowingColumn<std::uint32_t> impressions_, clicks_;
  PerSignal<GrowingColumn<std::uint16_t>> signals_;
  std::uint16_t smallest_position_ = 65535;
  std::uint64_t without_propensity_ = 0, first_without_propensity_ = 0;
  std::uint32_t list_of_last_row_ = 0;
  /// Empty while they are grouped: the lists of rows then follow from their numbers of rows.
  GrowingColumn<std::uint32_t> lists_of_rows_;
  std::vector<std::uint64_t> sorted_;  // documents of a list
};

}  // namespace ultr
