#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The axes of charts: which numbers they span, and which of them they name.
namespace ultr {

enum class AxisScale { linear, log };

struct ChartAxis {
  std::string label{};
  AxisScale scale = AxisScale::linear;
  /// Fixed ends. What is not fixed follows from the data.
  std::optional<double> lower{}, upper{};
  bool include_zero = false;  // the data's end is moved to 0; not on log axes
  bool integer = false;       // ranks, epochs: ticks only at whole numbers
};

/// What an axis spans; lower < upper, and 0 < lower on a log axis.
struct AxisLimits {
  double lower = 0, upper = 1;
};

/// A mark on an axis. Minor ticks, which only log axes have, bear no label.
struct Tick {
  double value = 0;
  std::string label;  // UTF-8, e.g. "0.3", "20,000", "2×10⁶", "−1"
};

/// Throws Error if fixed limits are not finite, not increasing, nearer than 1e-9 of their size, or
/// not positive on a log axis.
void check_axis(const ChartAxis& axis);

/// Whether the scale has a place for the value: NaN and magnitudes beyond 1e300 have none, and on a
/// log axis neither have values below 1e-300, such as zero and all negative ones.
bool has_position(AxisScale scale, double value);

/// The fixed limits of the axis, or the range of those values that have a position, widened by the
/// fraction `padding` on each side (of the logarithms on a log axis; a linear axis is not widened
/// across zero). Values that are all equal end up in the middle. Without values: [0, 1], or [1, 10]
/// on a log axis. Throws as check_axis does.
AxisLimits axis_limits(const ChartAxis& axis, std::span<const double> values, double padding);

/// Where a value that has a position stands between the limits: 0 at lower, 1 at upper.
double axis_position(AxisScale scale, AxisLimits limits, double value);

/// Ticks within the limits, in ascending order, of which at most `most` (>= 2) bear a label.
/// Linear: multiples of 1, 2 or 5 times a power of ten. Log: powers of ten, with minor ticks at
/// their multiples; where there are fewer than two powers, also multiples, or linear ticks.
/// Labels are exact decimals; from a million on and in small fractions they use powers of ten.
std::vector<Tick> axis_ticks(const ChartAxis& axis, AxisLimits limits, int most);

}  // namespace ultr
