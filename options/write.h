#pragma once

#include <string>

#include "options/fields.h"

namespace ultr {

/// All fields with their values as YAML, in the order of declaration; reading it back gives the
/// same options. A number that is left out is written as null.
std::string write_options(Options& options);

}  // namespace ultr
