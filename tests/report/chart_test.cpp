#include "report/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/not_finite.h"

namespace ultr::chart_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::infinity;
using testing::nan;
using ::testing::ThrowsMessage;

Chart chart_of(Series series) {
  Chart chart;
  chart.title = "Losses";
  chart.series = {std::move(series)};
  return chart;
}

TEST(ChartTest, RejectsLengthsThatDiffer) {
  EXPECT_THAT(
      [] {
        check_chart(chart_of({"train", {1, 2, 3}, {1, 2}}));
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("Losses"), HasSubstr("train"), HasSubstr("3 x values"),
                                 HasSubstr("2 y values"))));
  EXPECT_THAT(
      [] {
        check_chart(chart_of({"train", {1, 2}, {1, 2}, {1}, {1, 2}}));
      },
      ThrowsMessage<Error>(HasSubstr("1 low")));
  EXPECT_THAT(
      [] {
        check_chart(chart_of({"train", {1, 2}, {1, 2}, {1, 2}, {}}));
      },
      ThrowsMessage<Error>(HasSubstr("0 high")));
  EXPECT_NO_THROW(check_chart(chart_of({"train", {1, 2}, {1, 2}, {1, 2}, {1, 2}})));
  EXPECT_NO_THROW(check_chart(chart_of({"train"})));
}

TEST(ChartTest, RejectsInvisibleSeries) {
  Series series = {"train", {1}, {1}};
  series.line = LineStyle::none;
  EXPECT_THROW(check_chart(chart_of(series)), Error);
  series.markers = true;
  EXPECT_NO_THROW(check_chart(chart_of(series)));
  series.markers = false;
  series.low = series.high = {1};
  EXPECT_NO_THROW(check_chart(chart_of(series)));
}

TEST(ChartTest, RejectsBadAxes) {
  Chart chart;
  chart.y.lower = 2;
  chart.y.upper = 1;
  EXPECT_THROW(check_chart(chart), Error);
}

TEST(ChartTest, PointsWithoutPositionAreNotDrawn) {
  Chart chart = chart_of({"", {1, nan, 3, 4, 0}, {1, 2, nan, infinity, 0}});
  const Series& series = chart.series[0];
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(is_drawn(chart, series, i), i == 0 || i == 4);
  chart.y.scale = AxisScale::log;
  EXPECT_FALSE(is_drawn(chart, series, 4));
  EXPECT_FALSE(is_empty(chart, series));
  EXPECT_TRUE(is_empty(chart, Series{"", {nan}, {1}}));
  EXPECT_TRUE(is_empty(chart, Series{}));
}

TEST(ChartTest, IntervalsStandWithoutTheirPoint) {
  Chart chart = chart_of({"", {1, 2, 3}, {nan, nan, nan}, {-1, nan, -5}, {1, 1, -4}});
  const Series& series = chart.series[0];
  EXPECT_TRUE(has_interval(chart, series, 0));
  EXPECT_FALSE(has_interval(chart, series, 1));
  EXPECT_TRUE(has_interval(chart, series, 2));
  EXPECT_FALSE(is_empty(chart, series));
  chart.y.scale = AxisScale::log;
  EXPECT_TRUE(has_interval(chart, series, 0)) << "reaches down to the edge";
  EXPECT_FALSE(has_interval(chart, series, 2)) << "is below the edge";
}

TEST(ChartTest, LimitsCoverPointsAndIntervals) {
  const Chart chart = chart_of({"", {1, 5, 9}, {10, 20, nan}, {5, 15, nan}, {15, 40, nan}});
  const ChartLimits limits = chart_limits(chart);
  EXPECT_LT(limits.x.lower, 1);
  EXPECT_GT(limits.x.upper, 5);
  EXPECT_LT(limits.x.upper, 9) << "the point at 9 is not drawn";
  EXPECT_LT(limits.y.lower, 5);
  EXPECT_GT(limits.y.upper, 40);
}

TEST(ChartTest, YLimitsIgnorePointsOutsideXLimits) {
  Chart chart = chart_of({"", {1, 2, 3}, {10, 20, 1000}});
  chart.x.upper = 2;
  EXPECT_GT(chart_limits(chart).y.upper, 20);
  EXPECT_LT(chart_limits(chart).y.upper, 30);
}

}  // namespace
}  // namespace ultr::chart_test
