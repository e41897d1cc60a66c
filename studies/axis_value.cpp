#include "studies/axis_value.h"

#include <charconv>
#include <limits>

namespace ultr {

double axis_number(const std::string& value) {
  std::string_view text = value;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? number : std::numeric_limits<double>::quiet_NaN();
}

bool same_axis_value(const std::string& a, const std::string& b) {
  return a == b || axis_number(a) == axis_number(b);
}

}  // namespace ultr
