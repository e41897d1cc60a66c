#include "report/small_multiples.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/svg.h"
#include "testing/not_finite.h"
#include "testing/xml.h"

namespace ultr::small_multiples_test {
namespace {

using ::testing::ElementsAre;
using testing::nan;
using ::testing::SizeIs;

/// Two estimates, the first with an interval, and a truth.
Chart curves() {
  Chart chart{.title = "Bias"};
  chart.series = {
      {.label = "ctr", .x = {1, 2}, .y = {1, 0.25}, .low = {1, 0.125}, .high = {1, 0.5}},
      {.label = "em", .x = {1, 2, 3}, .y = {1, 0.5, 0.0625}},
      {.label = "truth", .x = {1, 2}, .y = {1, 0.5}}};
  chart.series[2].color = SeriesColor::black;
  return chart;
}

const Series& own(const Chart& panel) { return panel.series.back(); }

TEST(PanelsOfCurvesTest, EachCurveHasAPanel) {
  const std::vector<Chart> panels = panels_of_curves(curves(), {"estimate", "others"});
  ASSERT_THAT(panels, SizeIs(2));
  EXPECT_EQ(panels[0].title, "ctr");
  EXPECT_EQ(panels[1].title, "em");
  EXPECT_EQ(own(panels[0]).label, "estimate");
  EXPECT_THAT(own(panels[0]).y, ElementsAre(1, 0.25));
  EXPECT_THAT(own(panels[0]).low, ElementsAre(1, 0.125));
  EXPECT_THAT(own(panels[1]).y, ElementsAre(1, 0.5, 0.0625));
}

TEST(PanelsOfCurvesTest, OthersAreGreyBehindTheCurveAndTheTruth) {
  const Chart panel = panels_of_curves(curves(), {})[1];
  ASSERT_THAT(panel.series, SizeIs(3));
  EXPECT_EQ(panel.series[0].color, SeriesColor::gray);
  EXPECT_THAT(panel.series[0].y, ElementsAre(1, 0.25));
  EXPECT_THAT(panel.series[0].low, SizeIs(0)) << "without its interval";
  EXPECT_EQ(panel.series[1].label, "truth");
  EXPECT_EQ(panel.series[1].color, SeriesColor::black);
  EXPECT_EQ(own(panel).color, SeriesColor::blue);
}

TEST(PanelsOfCurvesTest, PanelsHaveTheSameAxesAndOneLegend) {
  const std::vector<Chart> panels = panels_of_curves(curves(), {});
  for (const Chart& panel : panels) {
    EXPECT_EQ(chart_limits(panel).x.upper, chart_limits(panels[0]).x.upper);
    EXPECT_EQ(chart_limits(panel).y.lower, chart_limits(panels[0]).y.lower);
    EXPECT_GE(chart_limits(panel).x.upper, 3);
  }
  const auto svg = testing::parse_xml(render_panels(panels, 2));
  EXPECT_THAT(svg.all("g", "legend"), SizeIs(1)) << "though one panel has no interval";
  EXPECT_THAT(svg.first("g", "legend").all("text"), SizeIs(3));
}

TEST(PanelsOfCurvesTest, ASingleCurveStaysAChart) {
  Chart chart = curves();
  chart.series.erase(chart.series.begin());
  const std::vector<Chart> panels = panels_of_curves(chart, {});
  ASSERT_THAT(panels, SizeIs(1));
  EXPECT_EQ(panels[0].title, "Bias");
  EXPECT_EQ(panels[0].series[0].label, "em");
}

TEST(ShareLimitsTest, HoldsEverything) {
  std::vector<Chart> charts(2);
  charts[0].series = {{"a", {1, 2}, {10, 20}}};
  charts[1].series = {{"a", {5, 6}, {-1, 15}}};
  const ChartLimits first = chart_limits(charts[0]), second = chart_limits(charts[1]);
  share_limits(charts, &Chart::y);
  for (const Chart& chart : charts) {
    EXPECT_EQ(chart_limits(chart).y.lower, second.y.lower);
    EXPECT_EQ(chart_limits(chart).y.upper, first.y.upper);
  }
  EXPECT_EQ(chart_limits(charts[0]).x.upper, first.x.upper) << "the other axis stays";
}

/// Returns the scale of the y axis of a chart with these values.
AxisScale scale_of(std::vector<double> values) {
  Chart chart;
  chart.series = {{.label = "a", .x = std::vector<double>(values.size(), 1), .y = values}};
  use_log_axis(chart);
  return chart.y.scale;
}

TEST(UseLogAxisTest, NeedsPositiveValuesFarApart) {
  EXPECT_EQ(scale_of({1, 0.2}), AxisScale::log);
  EXPECT_EQ(scale_of({1, nan, 0.2}), AxisScale::log);
  EXPECT_EQ(scale_of({1, 0.25}), AxisScale::linear);
  EXPECT_EQ(scale_of({1, 0.1, 0}), AxisScale::linear) << "zero would not be shown";
  EXPECT_EQ(scale_of({-1, 1}), AxisScale::linear);
  EXPECT_EQ(scale_of({}), AxisScale::linear);
}

TEST(UseLogAxisTest, IntervalsDoNotStretchTheAxis) {
  Chart chart;
  chart.series = {{.label = "a", .x = {1, 2}, .y = {1, 0.1}, .low = {1, 1e-9}, .high = {1, 0.5}}};
  use_log_axis(chart);
  EXPECT_DOUBLE_EQ(chart_limits(chart).y.lower, 0.08);
}

TEST(LargestUsualTest, LeavesOutValuesFarAbove) {
  EXPECT_EQ(largest_usual(std::vector<double>{1, 1.5, 2, 3, 100.}), 3);
  EXPECT_EQ(largest_usual(std::vector<double>{1, nan, 1.5, 2, 3, 3.5, 4, 100, 200.}), 4);
  EXPECT_EQ(largest_usual(std::vector<double>{1, 2, 3, 4, 5.}), 5);
  EXPECT_EQ(largest_usual(std::vector<double>{1, 1, 1, 1, 2.}), 2) << "no spread to compare with";
  EXPECT_EQ(largest_usual(std::vector<double>{1, 2, 3, 100.}), 100) << "too few";
  EXPECT_TRUE(std::isnan(largest_usual(std::vector<double>{nan})));
}

}  // namespace
}  // namespace ultr::small_multiples_test
