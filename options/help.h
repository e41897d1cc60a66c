#pragma once

#include <string>

#include "options/fields.h"

namespace ultr {

/// A line for each field: name, type with limits, default, help; sections are indented. Of a
/// choice, the types are named and the fields of the chosen one follow.
std::string describe_options(Options& options, int indent = 0);

/// For each type of a table: its name and help, and its fields indented.
std::string describe_types(const std::vector<OptionType>& types, int indent = 0);

}  // namespace ultr
