#include "base/text/formatted_number.h"

#include <cmath>
#include <cstdint>

#include <fmt/core.h>

namespace ultr {

std::string format_duration(double seconds) {
  if (seconds < 59.5) return fmt::format("{:.{}f} s", seconds, seconds < 9.95 ? 1 : 0);
  const auto whole = static_cast<std::int64_t>(std::round(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  const std::int64_t minutes = whole / 60, hours = minutes / 60;
  if (hours < 24) return fmt::format("{} h {} min", hours, minutes % 60);
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}

std::string format_rate(double per_second) {
  if (per_second < 1e3) return fmt::format("{:.0f}", per_second);
  if (per_second < 1e6) return fmt::format("{:.1f} k", per_second / 1e3);
  return fmt::format("{:.2f} M", per_second / 1e6);
}

std::string format_measure(double value) {
  if (!std::isfinite(value)) return "-";
  return std::abs(value) < 1e4 ? fmt::format("{:.5f}", value) : fmt::format("{:.6g}", value);
}

}  // namespace ultr
