#pragma once

#include <string>

#include "options/fields.h"

namespace ultr {

/// Returns one line per field: name, help, type with limits, and default. Sections are indented. A
/// choice lists its types by name, without their fields; those of an inline choice, whose fields
/// belong to the same section, follow it.
std::string describe_options(Options& options, int indent = 0);

/// Returns the name and help of each type of a table, followed by its fields, indented.
std::string describe_types(const std::vector<OptionType>& types, int indent = 0);

}  // namespace ultr
