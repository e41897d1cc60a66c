#pragma once

#include <string>
#include <vector>

#include "options/fields.h"

namespace ultr {

/// A table of types that an option chooses from.
struct TypeTable {
  std::string option;  // dotted name of the first option that chooses from it: "data.user"
  std::string key;     // the key that names the type: "type"
  std::string help;    // of the option
  std::vector<OptionType> types;
};

/// Returns every table that the options choose from, directly or in the options of a type, each
/// once, in the order in which they are declared.
std::vector<TypeTable> type_tables(Options& options);

}  // namespace ultr
