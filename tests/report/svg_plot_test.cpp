#include "report/svg_plot.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/text_layout.h"
#include "testing/not_finite.h"
#include "testing/xml.h"

namespace ultr::svg_plot_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::infinity;
using testing::nan;
using testing::parse_xml;
using testing::path_pieces;
using testing::PathPoint;
using ::testing::SizeIs;
using testing::XmlElement;

constexpr PlotArea area = {100, 50, 400, 200};
constexpr double tolerance = 0.005;  // two decimals

/// Returns a chart with fixed limits: x from 0 to 10, y from 0 to 1.
Chart unit_chart(std::vector<Series> series) {
  Chart chart;
  chart.x.lower = 0;
  chart.x.upper = 10;
  chart.y.lower = 0;
  chart.y.upper = 1;
  chart.series = std::move(series);
  return chart;
}

XmlElement plot(const Chart& chart) {
  return parse_xml("<svg>" + draw_plot(chart, area) + "</svg>");
}

MATCHER_P2(IsPoint, x, y, "") {
  return std::abs(arg.x - (x)) <= tolerance && std::abs(arg.y - (y)) <= tolerance;
}

std::vector<std::vector<PathPoint>> pieces(const XmlElement& plot, const char* class_name) {
  std::vector<std::vector<PathPoint>> result;
  for (const XmlElement* path : plot.all("path", class_name)) {
    for (auto& piece : path_pieces(path->attribute("d"))) result.push_back(std::move(piece));
  }
  return result;
}

/// Returns the centres of the circles of a plot. Their paths start at (x, y - 4).
std::vector<PathPoint> circles(const XmlElement& plot) {
  std::vector<PathPoint> result;
  for (const XmlElement* group : plot.all("g", "halo")) {
    for (const XmlElement* path : group->all("path")) {
      const std::string d = path->attribute("d");
      const PathPoint start = path_pieces(d.substr(0, d.find('a')))[0][0];
      result.push_back({start.x, start.y + 4});
    }
  }
  return result;
}

TEST(PlotTest, LimitsAreTheEdgesOfTheArea) {
  const XmlElement svg = plot(unit_chart({{"", {0, 5, 10}, {0, 0.25, 1}}}));
  EXPECT_THAT(pieces(svg, "line"),
              ElementsAre(ElementsAre(IsPoint(100, 250), IsPoint(300, 200), IsPoint(500, 50))));
}

TEST(PlotTest, LogAxesPlaceLogarithms) {
  Chart chart = unit_chart({{"", {1, 10, 1e4}, {1, 100, 1000}}});
  chart.x = {"", AxisScale::log, 1, 1e4};
  chart.y = {"", AxisScale::log, 1, 1e4};
  EXPECT_THAT(pieces(plot(chart), "line"),
              ElementsAre(ElementsAre(IsPoint(100, 250), IsPoint(200, 150), IsPoint(500, 100))));
}

TEST(PlotTest, MissingPointsBreakTheLine) {
  const Chart chart =
      unit_chart({{"", {0, 1, 2, 3, 4, infinity, 6, 7}, {0, 0.1, nan, 0.3, 0.4, 0.5, 0.6, 0.7}}});
  EXPECT_THAT(pieces(plot(chart), "line"), ElementsAre(SizeIs(2), SizeIs(2), SizeIs(2)));
}

TEST(PlotTest, NonPositivePointsBreakTheLineOnLogAxes) {
  Chart chart = unit_chart({{"", {1, 2, 3, 4, 5, 6}, {1, 10, 0, 10, -3, 5}}});
  chart.y = {"", AxisScale::log, 1, 100};
  const XmlElement svg = plot(chart);
  EXPECT_THAT(pieces(svg, "line"), ElementsAre(ElementsAre(IsPoint(140, 250), IsPoint(180, 150))));
  EXPECT_THAT(circles(svg), SizeIs(2)) << "the two lone points";
}

TEST(PlotTest, LonePointsAreMarked) {
  const XmlElement svg = plot(unit_chart({{"", {0, 1, 5}, {0, nan, 0.5}}}));
  EXPECT_THAT(pieces(svg, "line"), SizeIs(0));
  EXPECT_THAT(circles(svg), ElementsAre(IsPoint(100, 250), IsPoint(300, 150)));
}

TEST(PlotTest, MarkersStandOnThePointsInsideTheLimits) {
  Series series = {"model <1>", {0, 10, 11, 5}, {1, 0.5, 0.5, 1.1}};
  series.markers = true;
  series.line = LineStyle::none;
  const XmlElement svg = plot(unit_chart({series}));
  EXPECT_THAT(circles(svg), ElementsAre(IsPoint(100, 50), IsPoint(500, 150)));
  EXPECT_THAT(pieces(svg, "line"), SizeIs(0));
  EXPECT_EQ(svg.all("title")[1]->text, "model <1>: x = 10, y = 0.5");
}

TEST(PlotTest, TooltipsNameTheInterval) {
  Series series = {"", {1}, {0.5}, {0.25}, {0.75}};
  EXPECT_EQ(plot(unit_chart({series})).first("title").text, "x = 1, y = 0.5 [0.25, 0.75]");
}

TEST(PlotTest, BandsRunAlongBothEnds) {
  const XmlElement svg = plot(unit_chart({{"", {0, 10}, {0.5, 0.5}, {0.25, 0}, {0.75, 1}}}));
  EXPECT_THAT(pieces(svg, "band"), ElementsAre(ElementsAre(IsPoint(100, 100), IsPoint(500, 50),
                                                           IsPoint(500, 250), IsPoint(100, 200))));
}

TEST(PlotTest, BandsBreakAndBecomeBars) {
  const std::vector<double> x = {0, 1, 2, 3, 4}, y(5, 0.5), high(5, 0.75);
  const XmlElement svg = plot(unit_chart({{"", x, y, {0, 0, nan, 0.25, nan}, high}}));
  EXPECT_THAT(pieces(svg, "band"), ElementsAre(SizeIs(4)));
  EXPECT_EQ(svg.first("path", "bars").attribute("d"), "M220 200V100");
}

TEST(PlotTest, IntervalsWithoutLineAreBars) {
  Series series = {"", {0, 10}, {0.5, 0.5}, {0.25, 0}, {0.75, 1}};
  series.line = LineStyle::none;
  series.markers = true;
  const XmlElement svg = plot(unit_chart({series}));
  EXPECT_THAT(svg.all("path", "band"), SizeIs(0));
  EXPECT_EQ(svg.first("path", "bars").attribute("d"), "M100 200V100M500 250V50");
}

TEST(PlotTest, BandsReachTheLowerEdgeOfLogAxes) {
  Chart chart = unit_chart({{"", {0, 10}, {10, 10}, {-1, 1}, {100, 100}}});
  chart.y = {"", AxisScale::log, 1, 100};
  EXPECT_THAT(pieces(plot(chart), "band"),
              ElementsAre(ElementsAre(IsPoint(100, 50), IsPoint(500, 50), IsPoint(500, 250),
                                      IsPoint(100, 250))));
}

TEST(PlotTest, BandsLieBelowAllLines) {
  const std::vector<double> x = {0, 1}, y = {0, 1};
  const std::string svg = draw_plot(unit_chart({{"", x, y, y, y}, {"", x, y, y, y}}), area);
  EXPECT_LT(svg.rfind("class=\"band\""), svg.find("class=\"line\""));
}

TEST(PlotTest, ClipsDataToTheLimits) {
  const XmlElement svg = plot(unit_chart({{"", {0, 5, 10}, {0, 1e200, -1e200}}}));
  const XmlElement& inner = svg.first("svg");
  EXPECT_NEAR(inner.number("x"), 100, 2);
  EXPECT_NEAR(inner.number("y"), 50, 2);
  EXPECT_NEAR(inner.number("width"), 400, 4);
  EXPECT_NEAR(inner.number("height"), 200, 4);
  EXPECT_THAT(inner.all("path", "line"), SizeIs(1));
  EXPECT_LT(inner.first("path", "line").attribute("d").size(), 60u) << "coordinates stay short";
}

TEST(PlotTest, IdentityLineIsWhereXIsY) {
  Chart chart = unit_chart({{"", {0, 1}, {0, 1}}});
  chart.x.upper = 2;
  EXPECT_THAT(plot(chart).all("path", "identity"), SizeIs(0));
  chart.identity_line = true;
  EXPECT_THAT(pieces(plot(chart), "identity"),
              ElementsAre(ElementsAre(IsPoint(100, 250), IsPoint(300, 50))));
}

TEST(PlotTest, IdentityLineBendsBetweenUnequalScales) {
  Chart chart = unit_chart({{"", {1, 100}, {1, 100}}});
  chart.identity_line = true;
  chart.x = {"", AxisScale::log, 1, 100};
  chart.y = {"", AxisScale::linear, 0, 100};
  const auto line = pieces(plot(chart), "identity").at(0);
  EXPECT_THAT(line.front(), IsPoint(100, 250 - 200 * 1 / 100.));
  EXPECT_THAT(line.back(), IsPoint(500, 50));
  EXPECT_THAT(line[line.size() / 2], IsPoint(300, 250 - 200 * 10 / 100.));
}

TEST(PlotTest, DashesAreDrawn) {
  Series series = {"", {0, 1}, {0, 1}};
  EXPECT_EQ(plot(unit_chart({series})).first("path", "line").attribute("stroke-dasharray"), "");
  series.line = LineStyle::dashed;
  EXPECT_NE(plot(unit_chart({series})).first("path", "line").attribute("stroke-dasharray"), "");
}

TEST(PlotTest, SeriesHaveTheirColors) {
  Chart chart = unit_chart({{"", {0, 1}, {0, 1}}, {"", {0, 1}, {1, 0}}});
  chart.series[1].markers = true;
  const XmlElement svg = plot(chart);
  EXPECT_THAT(svg.first("g", "blue").all("path"), SizeIs(1));
  ASSERT_THAT(svg.all("g", "vermillion"), SizeIs(2));
  EXPECT_THAT(svg.all("g", "vermillion")[0]->all("path", "line"), SizeIs(1));
  EXPECT_THAT(svg.all("g", "vermillion")[1]->all("title"), SizeIs(2)) << "two markers";
}

TEST(PlotTest, TickLabelsStandAtTheirValues) {
  const XmlElement svg = plot(unit_chart({{"", {0, 1}, {0, 1}}}));
  const auto x = svg.first("g", "x-ticks").all("text"), y = svg.first("g", "y-ticks").all("text");
  ASSERT_THAT(x, SizeIs(6));
  EXPECT_EQ(x[1]->text, "2");
  EXPECT_NEAR(x[1]->number("x"), 100 + 400 * 2 / 10., tolerance);
  EXPECT_GT(x[1]->number("y"), 250);
  EXPECT_EQ(y.front()->text, "0.0");
  EXPECT_NEAR(y.back()->number("y") - y.front()->number("y"), -200, tolerance);
  EXPECT_LT(y[0]->number("x"), 100);
}

TEST(PlotTest, XTickLabelsDoNotOverlap) {
  Chart chart = unit_chart({});
  chart.x = {"", AxisScale::linear, 1234567, 1234599};
  for (const double width : {60., 150., 300., 600.}) {
    const auto ticks = x_ticks(chart, width);
    ASSERT_GE(ticks.size(), 1u);
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      const double distance = width * (ticks[i].value - ticks[i - 1].value) / 32;
      EXPECT_GT(distance, text_width(ticks[i].label, tick_font_size));
    }
  }
}

TEST(PlotTest, EmptyChartsHaveAMessage) {
  for (const Chart& chart : {Chart{}, unit_chart({{"empty"}}), unit_chart({{"", {nan}, {1}}})}) {
    EXPECT_THAT(draw_plot(chart, area), HasSubstr("no data"));
  }
  EXPECT_THAT(draw_plot(unit_chart({{"empty"}, {"", {1}, {1}}}), area),
              ::testing::Not(HasSubstr("no data")));
}

}  // namespace
}  // namespace ultr::svg_plot_test
