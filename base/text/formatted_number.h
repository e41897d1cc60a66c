#pragma once

#include <string>

namespace ultr {

/// Formats a duration: "0.8 s", "2 min 5 s", "1 h 3 min", "2 d 5 h".
std::string format_duration(double seconds);
/// Formats a rate: "950", "12.3 k", "4.56 M".
std::string format_rate(double per_second);
/// Formats a measure: "0.12346", "1.35e+152", or "-" if it is not finite.
std::string format_measure(double value);

}  // namespace ultr
