#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "data/log/name_texts.h"
#include "data/tables/table_records.h"
#include "data/tables/table_row_columns.h"
#include "data/tables/table_setting.h"

namespace ultr {

class Vocabulary;

/// The rows of a part of a table.
struct TableBatch {
  /// Rows of one list that are well-formed and on successive lines.
  struct Run {
    std::uint64_t key = 0;  // of the list; 0 for rows with counts, each of which is a list
    std::uint64_t query = 0, time = 0;
    double weight = 1;
    std::uint64_t line = 0;  // of the first row
    std::uint32_t rows = 0;  // may be none, if a malformed one follows
  };
  /// A row that is malformed.
  struct Rejection {
    std::size_t runs = 0;     // before it
    bool in_list = false;     // it belongs to the list of the latest run
    bool ends_table = false;  // without it, nothing can be read
    std::uint64_t line = 0;
    std::string_view kind{};  // what is wrong, for counts
    DataError error;
  };

  TableRowColumns rows;  // their positions mean nothing if the table has no column for them
  std::vector<Run> runs{};
  std::vector<Rejection> rejections{};
  NameTexts names{};               // of queries and documents, some of them several times
  std::uint64_t records = 0;       // of whatever kind
  std::uint64_t lines = 0;         // of these records
  std::string_view unfinished{};   // as TableRecords says
  std::uint64_t lines_before = 0;  // in the file; other lines are counted within the part, from 1
  std::uint64_t bytes_read = 0;    // of the file, as LineReader says; 0 where it is not known
};

/// Parses the rows of a table, part by part: finds its columns, then the cells of each row and the
/// key of its list. What it says about a row does not depend on other parts, so that copies of a
/// parser may read different parts at once; except for new words, which a vocabulary numbers in the
/// order in which they come.
class TableRowParser {
 public:
  struct Setting {
    const TableSetting& table;
    TableUse use;
    bool missing_features = false;     // as in ReadRules
    bool keep_names = false;           // pass the names of ids on
    Vocabulary* vocabulary = nullptr;  // null: words are not read
  };

  /// Throws ConfigError if the delimiter is not one.
  explicit TableRowParser(const Setting& setting)
      : setting_(setting), delimiter_(setting.table.delimiter_character()) {}

  /// Returns the rows of a part.
  TableBatch parse(const TablePart& part);
  /// The columns of the table; nothing before its first record that is well-formed.
  const std::optional<TableLayout>& layout() const { return layout_; }
  /// The parts that rows have, once there is a layout.
  const TableRowParts& parts() const { return parts_; }

 private:
  /// Reads a record. Returns false at the end.
  bool read_record();
  /// Finds the columns, from the header or the first row. Returns false if some are missing.
  bool find_layout();
  void read_row();
  template <class Cell>
  void read_list(Cell cell);
  template <class Cell>
  void read_words(Cell cell);
  template <class Cell>
  void read_numbers(Cell cell, TableRow& row);
  void enter_list(std::uint64_t key, std::uint64_t query);
  float read_propensity(std::string_view cell) const;
  std::uint64_t id_of(std::string_view name);
  void reject(std::string_view kind, const DataError& error);

  /// The text of a column in the latest row, which the next row often repeats, and its number.
  struct LastText {
    std::string text;
    std::uint64_t number = 0;

    template <class Make>
    std::uint64_t number_of(std::string_view next, const Make& make);
  };

  Setting setting_;
  char delimiter_;
  std::optional<TableLayout> layout_;
  TableRowParts parts_{};
  TableRecords* records_ = nullptr;  // of the current part, like the next
  TableBatch* batch_ = nullptr;
  std::vector<float> features_;  // of the current row, like the next
  std::vector<std::uint32_t> tokens_;
  std::vector<std::uint8_t> types_;
  std::string_view kind_;  // of the error that reading a row meets
  bool in_list_ = false;   // the list of the current row is known
  LastText last_query_, last_user_, last_session_;
  RecentNames recent_names_;
};

}  // namespace ultr
