#pragma once

#include "data/formats/log_format.h"
#include "data/formats/table_columns.h"

namespace ultr {

/// A text table with one row per shown document (CSV, TSV or any other delimiter):
///
///     session,query,document,position,click
///     s1,red shoes,"Shoes, red",1,0
///
/// Rows with the same session and query are a list, wherever they stand; lists are in the order of
/// their first rows, or of the column `time`. Queries and documents are texts (IdNames). All rows
/// of a file are in memory while it is read, unless `sorted` says that those of a list are
/// neighbours. An error of a row names its file, line and column. With on_error: skip, malformed
/// rows leave a gap in their lists, and notes count them by kind.
class TableFormat final : public LogFormat {
 public:
  void fields(Fields& f) override;
  LogReader reader() const override;
  std::int64_t usual_positions() const override { return 100; }

  struct Setting {
    TableColumns columns;
    std::string delimiter = ",";  // one character, or tab
    bool header = true;
    std::string first_position = "found";  // or 0 or 1
    bool sorted = false;
    std::optional<double> row_memory{};  // in gigabytes; default: half of the machine's
  };

 private:
  Setting setting_;
};

}  // namespace ultr
