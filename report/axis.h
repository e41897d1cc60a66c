#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The axes of charts: their limits and their ticks.
namespace ultr {

enum class AxisScale { linear, log };

struct ChartAxis {
  std::string label{};
  AxisScale scale = AxisScale::linear;
  /// Fixed limits. A limit that is not fixed is computed from the data.
  std::optional<double> lower{}, upper{};
  bool include_zero = false;  // extends the axis to 0; ignored on log axes
  bool integer = false;       // ticks only at whole numbers, as for ranks and epochs
};

/// The ends of an axis: lower < upper, and 0 < lower on a log axis.
struct AxisLimits {
  double lower = 0, upper = 1;
};

/// A mark on an axis. Minor ticks, which only log axes have, have an empty label.
struct Tick {
  double value = 0;
  std::string label;  // UTF-8, e.g. "0.3", "20,000", "2×10⁶", "−1"
};

/// Throws Error if a fixed limit has no position on the axis (see has_position), or if the limits
/// are not increasing or differ by at most 1e-9 of their size.
void check_axis(const ChartAxis& axis);

/// True if the scale can show the value. NaN and magnitudes above 1e300 have no position; on a log
/// axis neither have values below 1e-300, including zero and negative ones.
bool has_position(AxisScale scale, double value);

/// Returns the fixed limits of the axis or, for those not fixed, the range of the values that have
/// a position, widened by the fraction `padding` on each side. Log axes widen logarithms; linear
/// axes are not widened across zero. If all values are equal, they are in the middle. Without
/// values, returns [0, 1], or [1, 10] on a log axis. Throws Error as check_axis does.
AxisLimits axis_limits(const ChartAxis& axis, std::span<const double> values, double padding);

/// Returns the position of a value relative to the limits: 0 at lower, 1 at upper. `value`: must
/// have a position on the scale.
double axis_position(AxisScale scale, AxisLimits limits, double value);

/// Returns ticks within the limits, in ascending order; at most `most` (>= 2) have a label.
/// Linear axes have ticks at multiples of 1, 2 or 5 times a power of ten. Log axes have ticks at
/// powers of ten and minor ticks at their multiples; limits that span fewer than two powers also
/// get labelled multiples, or linear ticks. Labels are exact decimals, with powers of ten from a
/// million on and for small fractions.
std::vector<Tick> axis_ticks(const ChartAxis& axis, AxisLimits limits, int most);

}  // namespace ultr
