#include "report/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"

namespace ultr {
namespace {

constexpr double largest_shown = 1e300, smallest_shown = 1e-300, nearest = 1e-9;

/// A decimal number: digits * 10^exponent. Ticks are chosen and labelled as decimals, so that no
/// label shows the rounding of a binary fraction.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;

  double value() const {
    const auto d = static_cast<double>(digits);
    // Division by an exact power rounds only once: 3 / 10 is 0.3, 3 * 0.1 is not.
    return exponent < 0 ? d / std::pow(10.0, -exponent) : d * std::pow(10.0, exponent);
  }

  /// Exponent of the leading digit.
  int magnitude() const {
    return exponent + static_cast<int>(fmt::formatted_size("{}", std::abs(digits))) - 1;
  }
};

bool too_near(double lower, double upper) {
  return upper - lower <=
         std::max(nearest * std::max(std::abs(lower), std::abs(upper)), smallest_shown);
}

double to_scale(AxisScale scale, double value) {
  return scale == AxisScale::log ? std::log10(value) : value;
}

double from_scale(AxisScale scale, double position) {
  return scale == AxisScale::log ? std::pow(10.0, position) : position;
}

std::string superscript(int exponent) {
  static constexpr std::array<const char*, 10> digits = {"⁰", "¹", "²", "³", "⁴",
                                                         "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result;
  for (const char c : fmt::format("{}", exponent))
    result += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
  return result;
}

const char* sign(Decimal number) { return number.digits < 0 ? "−" : ""; }

/// Formats a number without powers of ten: "−0.05", "20,000".
std::string plain_label(Decimal number) {
  std::string text = fmt::format("{}", std::abs(number.digits));
  if (number.exponent < 0) {
    const auto decimals = static_cast<std::size_t>(-number.exponent);
    if (text.size() <= decimals) text.insert(0, decimals + 1 - text.size(), '0');
    text.insert(text.size() - decimals, ".");
  } else if (number.digits != 0) {
    text.append(static_cast<std::size_t>(number.exponent), '0');
  }
  const std::size_t whole = std::min(text.find('.'), text.size());
  for (std::size_t at = whole; at > 3;) text.insert(at -= 3, ",");
  return sign(number) + text;
}

/// Formats a number with the given power of ten: "−2.5×10⁶", or "10⁶" if the mantissa is 1.
std::string power_label(Decimal number, int power) {
  if (number.digits == 0) return "0";
  const Decimal mantissa = {std::abs(number.digits), number.exponent - power};
  const std::string text = plain_label(mantissa);
  return sign(number) + (text == "1" ? "" : text + "×") + "10" + superscript(power);
}

std::vector<Tick> label_linear(const std::vector<Decimal>& numbers) {
  std::vector<Tick> ticks;
  Decimal widest;
  for (const Decimal n : numbers)
    if (std::abs(n.digits) > std::abs(widest.digits)) widest = n;
  const int magnitude = widest.magnitude(), decimals = magnitude - widest.exponent;
  const bool powers =
      magnitude > 14 || magnitude < -8 || ((magnitude >= 6 || magnitude < -4) && decimals <= 2);
  for (const Decimal n : numbers)
    ticks.push_back({n.value(), powers ? power_label(n, magnitude) : plain_label(n)});
  return ticks;
}

/// Returns ticks at multiples of a step: the smallest of 1, 2 and 5 times powers of ten that gives
/// at most `most` ticks.
std::vector<Tick> linear_ticks(AxisLimits limits, int most, bool integer) {
  int exponent = static_cast<int>(std::floor(std::log10((limits.upper - limits.lower) / most)));
  if (integer) exponent = std::max(exponent, 0);
  for (;; ++exponent) {
    for (const int factor : {1, 2, 5}) {
      const double step = Decimal{factor, exponent}.value();
      // Limits that are multiples up to rounding errors get a tick.
      const auto first = std::llround(std::ceil(limits.lower / step - 1e-6));
      const auto last = std::llround(std::floor(limits.upper / step + 1e-6));
      if (last - first >= most) continue;
      std::vector<Decimal> numbers;
      for (auto i = first; i <= last; ++i) numbers.push_back({i * factor, exponent});
      return label_linear(numbers);
    }
  }
}

/// Returns the number of powers of ten from one labelled tick to the next.
int decades_per_label(int first, int last, int most) {
  for (int ten = 1;; ten *= 10)
    for (const int factor : {1, 2, 5})
      if ((last - first) / (factor * ten) + 1 <= most) return factor * ten;
}

bool contains(AxisLimits limits, double value) {
  return value >= limits.lower * (1 - nearest) && value <= limits.upper * (1 + nearest);
}

std::string log_label(Decimal number, AxisLimits limits) {
  const bool powers = limits.upper >= 1e6 || limits.lower < 1e-4;
  return powers ? power_label(number, number.exponent) : plain_label(number);
}

/// Returns ticks at multiples of powers of ten. label(digit, exponent) returns true for a labelled
/// tick, false for a minor tick and nothing for no tick.
template <class Label>
std::vector<Tick> log_ticks(AxisLimits limits, Label&& label) {
  const int first = static_cast<int>(std::floor(std::log10(limits.lower) - nearest));
  const int last = static_cast<int>(std::floor(std::log10(limits.upper) + nearest));
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit <= 9; ++digit) {
      const Decimal number = {digit, exponent};
      if (!contains(limits, number.value())) continue;
      const std::optional<bool> labelled = label(digit, exponent);
      if (!labelled) continue;
      ticks.push_back({number.value(), *labelled ? log_label(number, limits) : ""});
    }
  }
  return ticks;
}

std::vector<Tick> decade_ticks(AxisLimits limits, int first, int last, int most) {
  const int stride = decades_per_label(first, last, most), decades = last - first + 1;
  return log_ticks(limits, [=](int digit, int exponent) -> std::optional<bool> {
    if (digit == 1 && exponent % stride == 0) return true;
    const bool minor = stride == 1 ? decades <= 10 : digit == 1 && decades <= 50;
    return minor ? std::optional(false) : std::nullopt;
  });
}

/// Returns ticks for limits that span fewer than two powers of ten: multiples of powers of ten, or
/// the ticks of a linear axis if these multiples are too few or too many.
std::vector<Tick> multiple_ticks(AxisLimits limits, int most, bool integer) {
  for (const auto& digits : {std::vector{1, 2, 5}, std::vector{1, 3}}) {
    auto ticks = log_ticks(limits, [&](int digit, int) -> std::optional<bool> {
      return std::find(digits.begin(), digits.end(), digit) != digits.end();
    });
    const auto labelled = std::count_if(ticks.begin(), ticks.end(),
                                        [](const Tick& tick) { return !tick.label.empty(); });
    if (labelled >= 3 && labelled <= most) return ticks;
  }
  auto ticks = linear_ticks(limits, most, integer);
  std::erase_if(ticks,
                [&](const Tick& tick) { return !contains(limits, tick.value); });  // such as 0
  return ticks;
}

}  // namespace

void check_axis(const ChartAxis& axis) {
  for (const auto& limit : {axis.lower, axis.upper})
    if (limit && !has_position(axis.scale, *limit))
      throw Error(fmt::format("axis '{}': a {} axis cannot end at {}", axis.label,
                              axis.scale == AxisScale::log ? "log" : "linear", *limit));
  if (axis.lower && axis.upper && too_near(*axis.lower, *axis.upper))
    throw Error(fmt::format("axis '{}': the lower limit {} is not well below the upper limit {}",
                            axis.label, *axis.lower, *axis.upper));
}

bool has_position(AxisScale scale, double value) {
  return std::abs(value) <= largest_shown &&
         (scale == AxisScale::linear || value >= smallest_shown);
}

AxisLimits axis_limits(const ChartAxis& axis, std::span<const double> values, double padding) {
  check_axis(axis);
  const bool linear = axis.scale == AxisScale::linear;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  const auto include = [&](double value) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  };
  for (const double value : values)
    if (has_position(axis.scale, value)) include(value);
  if (axis.include_zero && linear) include(0);
  if (lowest > highest) {  // no data
    if (!axis.lower && !axis.upper) return linear ? AxisLimits{0, 1} : AxisLimits{1, 10};
    lowest = highest = axis.lower.value_or(axis.upper.value_or(0));
  }
  double lower = to_scale(axis.scale, axis.lower.value_or(lowest));
  double upper = to_scale(axis.scale, axis.upper.value_or(highest));
  const bool same = lower > upper || (linear ? too_near(lower, upper) : upper - lower <= nearest);
  double margin = padding * (upper - lower);
  if (same) {
    // A fixed limit that excludes all data is kept; the other limit moves past it.
    if (axis.lower) upper = lower;
    if (axis.upper) lower = upper;
    const double size = std::max(std::abs(lower), std::abs(upper));
    margin = !linear || axis.integer ? 0.5 : size > smallest_shown ? size / 10 : 1;
    margin = std::max(margin, size * nearest * 10);
  }
  lower -= margin;
  upper += margin;
  if (linear && !same && lowest >= 0) lower = std::max(lower, 0.0);
  if (linear && !same && highest <= 0) upper = std::min(upper, 0.0);
  if (!linear) lower = std::max(lower, -305.0), upper = std::min(upper, 305.0);
  return {axis.lower.value_or(from_scale(axis.scale, lower)),
          axis.upper.value_or(from_scale(axis.scale, upper))};
}

double axis_position(AxisScale scale, AxisLimits limits, double value) {
  const double lower = to_scale(scale, limits.lower), upper = to_scale(scale, limits.upper);
  return (to_scale(scale, value) - lower) / (upper - lower);
}

std::vector<Tick> axis_ticks(const ChartAxis& axis, AxisLimits limits, int most) {
  if (axis.scale == AxisScale::linear) return linear_ticks(limits, most, axis.integer);
  const int first = static_cast<int>(std::ceil(std::log10(limits.lower) - nearest));
  const int last = static_cast<int>(std::floor(std::log10(limits.upper) + nearest));
  return last > first ? decade_ticks(limits, first, last, most)
                      : multiple_ticks(limits, most, axis.integer);
}

}  // namespace ultr
