#include "report/axis.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/not_finite.h"

namespace ultr::axis_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using testing::infinity;
using testing::nan;
using ::testing::Pointwise;

ChartAxis linear() { return {}; }
ChartAxis integer() {
  ChartAxis axis;
  axis.integer = true;
  return axis;
}
ChartAxis logarithmic() {
  ChartAxis axis;
  axis.scale = AxisScale::log;
  return axis;
}

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks) {
    if (!tick.label.empty()) result.push_back(tick.label);
  }
  return result;
}

std::vector<double> minor_values(const std::vector<Tick>& ticks) {
  std::vector<double> result;
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) result.push_back(tick.value);
  }
  return result;
}

TEST(AxisTicksTest, LinearTicksAreExactDecimals) {
  const auto ticks = axis_ticks(linear(), {0, 0.5}, 6);
  EXPECT_THAT(labels(ticks), ElementsAre("0.0", "0.1", "0.2", "0.3", "0.4", "0.5"));
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    EXPECT_EQ(ticks[i].value, static_cast<double>(i) / 10) << ticks[i].label;
  }
}

TEST(AxisTicksTest, LinearStepsAreOneTwoOrFive) {
  EXPECT_THAT(labels(axis_ticks(linear(), {0, 10}, 11)),
              ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_THAT(labels(axis_ticks(linear(), {0, 10}, 10)),
              ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(labels(axis_ticks(linear(), {0, 10}, 5)), ElementsAre("0", "5", "10"));
  EXPECT_THAT(labels(axis_ticks(linear(), {-1.1, 1.1}, 5)),
              ElementsAre("−1.0", "−0.5", "0.0", "0.5", "1.0"));
}

/// Over random ranges, there are at most `most` ticks and not far fewer. They are within the limits
/// and equal to their labels.
TEST(AxisTicksTest, LinearTicksOfAnyRange) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-4, 5), fraction(-1, 1);
  for (int trial = 0; trial < 2000; ++trial) {
    const double size = std::pow(10.0, exponent(random)), a = size * fraction(random),
                 b = size * fraction(random);
    const AxisLimits limits = {std::min(a, b), std::max(a, b)};
    const int most = 3 + trial % 8;
    const auto ticks = axis_ticks(linear(), limits, most);
    ASSERT_LE(ticks.size(), static_cast<std::size_t>(most));
    // The next smaller step, at least 2/5 of this one, would give more than `most` ticks.
    EXPECT_GT(static_cast<double>(ticks.size() + 1) * 2.5, most - 1);
    for (const Tick& tick : ticks) {
      EXPECT_GE(tick.value, limits.lower - 1e-6 * size);
      EXPECT_LE(tick.value, limits.upper + 1e-6 * size);
      if (tick.label.find("⁻") != std::string::npos) continue;  // a negative power of ten
      std::string text = tick.label;
      text.erase(std::remove(text.begin(), text.end(), ','), text.end());
      if (text.find("−") == 0) text.replace(0, std::string("−").size(), "-");
      EXPECT_EQ(std::stod(text), tick.value) << tick.label;
    }
  }
}

TEST(AxisTicksTest, IntegerAxesHaveNoFractions) {
  EXPECT_THAT(labels(axis_ticks(integer(), {0.9, 3.1}, 8)), ElementsAre("1", "2", "3"));
  EXPECT_THAT(labels(axis_ticks(linear(), {0.9, 3.1}, 8)),
              ElementsAre("1.0", "1.5", "2.0", "2.5", "3.0"));
  EXPECT_THAT(labels(axis_ticks(integer(), {0.5, 10.5}, 10)),
              ElementsAre("1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
}

TEST(AxisTicksTest, LabelsOfLargeAndSmallNumbers) {
  EXPECT_THAT(labels(axis_ticks(linear(), {0, 10000}, 3)), ElementsAre("0", "5,000", "10,000"));
  EXPECT_THAT(labels(axis_ticks(linear(), {-200000, 0}, 3)),
              ElementsAre("−200,000", "−100,000", "0"));
  EXPECT_THAT(labels(axis_ticks(linear(), {0, 4e6}, 3)), ElementsAre("0", "2×10⁶", "4×10⁶"));
  EXPECT_THAT(labels(axis_ticks(linear(), {-1e12, 0}, 3)),
              ElementsAre("−1.0×10¹²", "−0.5×10¹²", "0"));
  EXPECT_THAT(labels(axis_ticks(linear(), {0, 2e-5}, 3)), ElementsAre("0", "10⁻⁵", "2×10⁻⁵"));
  EXPECT_THAT(labels(axis_ticks(linear(), {0, 2e-4}, 3)),
              ElementsAre("0.0000", "0.0001", "0.0002"));
  EXPECT_THAT(labels(axis_ticks(linear(), {1e15, 1.0004e15}, 3)),
              ElementsAre("1.0000×10¹⁵", "1.0002×10¹⁵", "1.0004×10¹⁵"));
  // Powers of ten would hide the difference between the ticks.
  EXPECT_THAT(labels(axis_ticks(linear(), {1234567, 1234569}, 3)),
              ElementsAre("1,234,567", "1,234,568", "1,234,569"));
}

TEST(AxisTicksTest, LogTicksAreDecadesWithMinorTicks) {
  const auto ticks = axis_ticks(logarithmic(), {0.5, 200}, 5);
  EXPECT_THAT(labels(ticks), ElementsAre("1", "10", "100"));
  EXPECT_THAT(minor_values(ticks),
              Pointwise(DoubleEq(), {0.5, 0.6, 0.7, 0.8, 0.9, 2.,  3.,  4.,  5.,  6.,  7.,
                                     8.,  9.,  20., 30., 40., 50., 60., 70., 80., 90., 200.}));
}

TEST(AxisTicksTest, LogLabels) {
  EXPECT_THAT(labels(axis_ticks(logarithmic(), {0.001, 1e5}, 9)),
              ElementsAre("0.001", "0.01", "0.1", "1", "10", "100", "1,000", "10,000", "100,000"));
  EXPECT_THAT(labels(axis_ticks(logarithmic(), {1, 1e6}, 9)),
              ElementsAre("10⁰", "10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"));
  EXPECT_THAT(labels(axis_ticks(logarithmic(), {1e-11, 1e-9}, 9)),
              ElementsAre("10⁻¹¹", "10⁻¹⁰", "10⁻⁹"));
}

TEST(AxisTicksTest, ManyDecadesAreLabelledInEqualStrides) {
  const auto ticks = axis_ticks(logarithmic(), {1e-3, 1e9}, 5);
  EXPECT_THAT(labels(ticks), ElementsAre("10⁰", "10⁵"));
  EXPECT_THAT(minor_values(ticks),
              Pointwise(DoubleEq(), {1e-3, 1e-2, 1e-1, 1e1, 1e2, 1e3, 1e4, 1e6, 1e7, 1e8, 1e9}));
  const auto widest = axis_ticks(logarithmic(), {1e-300, 1e300}, 5);
  EXPECT_THAT(labels(widest), ElementsAre("10⁻²⁰⁰", "10⁰", "10²⁰⁰"));
  EXPECT_EQ(minor_values(widest).size(), 0u);
}

TEST(AxisTicksTest, FewDecadesAreLabelledBetween) {
  EXPECT_THAT(labels(axis_ticks(logarithmic(), {30, 800}, 6)),
              ElementsAre("50", "100", "200", "500"));
  EXPECT_THAT(labels(axis_ticks(logarithmic(), {1.1, 99}, 4)), ElementsAre("3", "10", "30"));
  EXPECT_THAT(labels(axis_ticks(logarithmic(), {0.55, 0.85}, 4)), ElementsAre("0.6", "0.7", "0.8"));
  EXPECT_THAT(labels(axis_ticks(logarithmic(), {0.4, 1.2}, 6)),
              ElementsAre("0.4", "0.6", "0.8", "1.0", "1.2"));
  EXPECT_THAT(labels(axis_ticks(logarithmic(), {2e6, 2e7}, 6)),
              ElementsAre("2×10⁶", "5×10⁶", "10⁷", "2×10⁷"));
}

TEST(AxisTicksTest, LogAxesHaveNoTickAtZero) {
  ChartAxis axis = logarithmic();
  axis.integer = true;
  EXPECT_TRUE(axis_ticks(axis, {2e-9, 4e-9}, 2).empty());
}

TEST(AxisLimitsTest, DataIsPaddedOnBothSides) {
  const std::vector<double> values = {30, 20, 40};
  const AxisLimits limits = axis_limits(linear(), values, 0.1);
  EXPECT_DOUBLE_EQ(limits.lower, 20 - 0.1 * (40 - 20));
  EXPECT_DOUBLE_EQ(limits.upper, 40 + 0.1 * (40 - 20));
}

TEST(AxisLimitsTest, PaddingDoesNotCrossZero) {
  const std::vector<double> positive = {0.1, 10}, negative = {-0.1, -10}, both = {-10, 10};
  EXPECT_EQ(axis_limits(linear(), positive, 0.1).lower, 0);
  EXPECT_EQ(axis_limits(linear(), negative, 0.1).upper, 0);
  EXPECT_DOUBLE_EQ(axis_limits(linear(), both, 0.1).lower, -10 - 0.1 * 20);
}

TEST(AxisLimitsTest, LogarithmsArePaddedOnLogAxes) {
  const std::vector<double> values = {1, 1e4, 0, -5};
  const AxisLimits limits = axis_limits(logarithmic(), values, 0.25);
  EXPECT_DOUBLE_EQ(limits.lower, std::pow(10, 0 - 0.25 * 4));
  EXPECT_DOUBLE_EQ(limits.upper, std::pow(10, 4 + 0.25 * 4));
}

TEST(AxisLimitsTest, FixedLimitsAreKept) {
  ChartAxis axis;
  axis.lower = 0.25;
  const std::vector<double> values = {0.5, 1}, below = {-3, -2};
  EXPECT_EQ(axis_limits(axis, values, 0.1).lower, 0.25);
  EXPECT_DOUBLE_EQ(axis_limits(axis, values, 0.1).upper, 1 + 0.1 * (1 - 0.25));
  EXPECT_EQ(axis_limits(axis, below, 0.1).lower, 0.25);
  EXPECT_GT(axis_limits(axis, below, 0.1).upper, 0.25);
  axis.upper = 2;
  EXPECT_EQ(axis_limits(axis, values, 0.1).upper, 2);
  axis.lower = std::nullopt;
  axis.upper = -5;
  EXPECT_EQ(axis_limits(axis, values, 0.1).upper, -5);
  EXPECT_LT(axis_limits(axis, values, 0.1).lower, -5);
}

TEST(AxisLimitsTest, ZeroIsIncludedOnDemand) {
  ChartAxis axis;
  axis.include_zero = true;
  const std::vector<double> positive = {5, 6}, negative = {-6, -5};
  EXPECT_EQ(axis_limits(axis, positive, 0.1).lower, 0);
  EXPECT_EQ(axis_limits(axis, negative, 0.1).upper, 0);
  axis.scale = AxisScale::log;
  EXPECT_DOUBLE_EQ(axis_limits(axis, positive, 0).lower, 5) << "has no place for zero";
}

TEST(AxisLimitsTest, EqualValuesAreInTheMiddle) {
  const auto middle = [](const ChartAxis& axis, double value) {
    const std::vector<double> values = {value, value};
    const AxisLimits limits = axis_limits(axis, values, 0.1);
    EXPECT_LT(limits.lower, limits.upper) << value;
    return axis_position(axis.scale, limits, value);
  };
  for (const double value : {0.0, 7.0, -0.3, 1e-300, 1e300, -1e300, 1e15}) {
    EXPECT_DOUBLE_EQ(middle(linear(), value), 0.5) << value;
  }
  for (const double value : {1.0, 1e-12, 1e12}) {
    EXPECT_NEAR(middle(logarithmic(), value), 0.5, 1e-12) << value;
  }
  for (const double value : {30.0, 1e300}) EXPECT_DOUBLE_EQ(middle(integer(), value), 0.5);
  const std::vector<double> one = {30};
  EXPECT_THAT(labels(axis_ticks(integer(), axis_limits(integer(), one, 0.1), 8)),
              ElementsAre("30"));
}

TEST(AxisLimitsTest, HasLimitsWithoutValues) {
  const std::vector<double> none = {nan, infinity, -infinity};
  EXPECT_EQ(axis_limits(linear(), none, 0.1).lower, 0);
  EXPECT_EQ(axis_limits(linear(), none, 0.1).upper, 1);
  EXPECT_EQ(axis_limits(logarithmic(), none, 0.1).lower, 1);
  EXPECT_EQ(axis_limits(logarithmic(), none, 0.1).upper, 10);
  ChartAxis axis;
  axis.upper = -5;
  EXPECT_LT(axis_limits(axis, none, 0.1).lower, -5);
}

/// Extreme values never give infinite limits or endless ticks.
TEST(AxisLimitsTest, ExtremeValues) {
  const std::vector<double> wide = {-1e300, 1e300}, wide_log = {1e-300, 1e300},
                            near = {1, 1 + 1e-15}, tiny = {0, 5e-324};
  for (const auto& [axis, values] :
       {std::pair(linear(), wide), std::pair(logarithmic(), wide_log), std::pair(linear(), near),
        std::pair(logarithmic(), near), std::pair(linear(), tiny)}) {
    const AxisLimits limits = axis_limits(axis, values, 0.1);
    EXPECT_TRUE(std::isfinite(limits.lower) && std::isfinite(limits.upper));
    EXPECT_LT(limits.lower, limits.upper);
    const auto ticks = labels(axis_ticks(axis, limits, 6));
    EXPECT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 6u);
  }
}

TEST(AxisTest, PositionIsLinearInTheScale) {
  EXPECT_DOUBLE_EQ(axis_position(AxisScale::linear, {10, 30}, 10), 0);
  EXPECT_DOUBLE_EQ(axis_position(AxisScale::linear, {10, 30}, 15), 0.25);
  EXPECT_DOUBLE_EQ(axis_position(AxisScale::linear, {10, 30}, 30), 1);
  EXPECT_DOUBLE_EQ(axis_position(AxisScale::log, {1, 1e4}, 10), 0.25);
}

TEST(AxisTest, OnlyFiniteNumbersHaveAPosition) {
  for (const double value : {nan, infinity, -infinity, 1e301}) {
    EXPECT_FALSE(has_position(AxisScale::linear, value));
    EXPECT_FALSE(has_position(AxisScale::log, value));
  }
  for (const double value : {0.0, -1.0}) {
    EXPECT_TRUE(has_position(AxisScale::linear, value));
    EXPECT_FALSE(has_position(AxisScale::log, value));
  }
  EXPECT_TRUE(has_position(AxisScale::log, 1e-9));
}

TEST(AxisTest, RejectsLimitsThatSpanNothing) {
  const auto check = [](AxisScale scale, double lower, double upper) {
    ChartAxis axis;
    axis.scale = scale;
    axis.lower = lower;
    axis.upper = upper;
    check_axis(axis);
  };
  EXPECT_NO_THROW(check(AxisScale::linear, -1, 1));
  EXPECT_THROW(check(AxisScale::linear, 1, 1), Error);
  EXPECT_THROW(check(AxisScale::linear, 1, -1), Error);
  EXPECT_THROW(check(AxisScale::linear, 1, 1 + 1e-12), Error);
  EXPECT_THROW(check(AxisScale::linear, nan, 1), Error);
  EXPECT_THROW(check(AxisScale::linear, 0, infinity), Error);
  EXPECT_THROW(check(AxisScale::log, 0, 1), Error);
  EXPECT_THROW(axis_limits({"x", AxisScale::log, 0.}, {}, 0), Error);
}

}  // namespace
}  // namespace ultr::axis_test
