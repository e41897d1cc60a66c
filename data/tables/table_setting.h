#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "data/tables/table_columns.h"
#include "options/fields.h"

namespace ultr {

/// The options of a table: its columns, and how its text is read.
struct TableSetting {
  TableColumns columns;
  std::string delimiter = ",";  // one character, or tab
  bool header = true;
  std::string first_position = "found";  // or 0 or 1
  bool sorted = false;
  std::optional<double> row_memory{};  // in gigabytes; default: half of the machine's

  void fields(Fields& f);
  /// Throws ConfigError for options that contradict each other.
  void check() const;
  /// Returns the character between columns. Throws ConfigError if the option is none.
  char delimiter_character() const;
  /// Returns the bytes that rows may take in memory.
  std::size_t memory_for_rows() const;
};

}  // namespace ultr
