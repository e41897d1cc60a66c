#pragma once

#include <string>

#include "report/html.h"

namespace ultr {

/// Renders a table for a terminal: one line for the header and one per row. Columns are two spaces
/// apart and aligned as in the report. Lines have no trailing spaces; control characters become
/// spaces; the caption is left out. Throws Error if a row is not as long as the header.
std::string render_text_table(const ReportTable& table);

}  // namespace ultr
