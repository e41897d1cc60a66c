#pragma once

#include <string>

#include "report/html.h"

namespace ultr {

/// A table for a terminal: a line for the header and one for each row, columns two spaces apart and
/// aligned as in the report, without spaces at line ends; the caption is left out. Control
/// characters become spaces. Throws Error if a row is not as long as the header.
std::string render_text_table(const ReportTable& table);

}  // namespace ultr
