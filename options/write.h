#pragma once

#include <string>

#include "options/fields.h"

namespace ultr {

/// Returns all fields with their values as YAML, in the order of declaration. Reading it back gives
/// the same options. An absent number is written as null.
std::string write_options(Options& options);

}  // namespace ultr
