#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/tables/table_columns.h"
#include "data/tables/table_rows.h"

namespace ultr {

/// Findings about a table that was read.
struct TableFindings {
  const TableLayout& layout;
  std::uint16_t first_position = 0;                   // number of the first position in the file
  const std::map<std::string, std::uint64_t>& kinds;  // numbers of malformed rows by kind
  const TableRows::Counts& counts;
};

/// Returns one line for each finding that a user should know: what was left out, and what click
/// logs should not have.
std::vector<std::string> table_notes(const TableFindings& found);

}  // namespace ultr
