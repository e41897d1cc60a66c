#pragma once

#include <string>

namespace ultr {

/// Whether two values of axes are the same: equal as numbers, or else as texts.
bool same_axis_value(const std::string& a, const std::string& b);
/// The value as a number; NaN if it is none.
double axis_number(const std::string& value);

}  // namespace ultr
