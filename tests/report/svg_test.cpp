#include "report/svg.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "report/text_layout.h"
#include "testing/xml.h"

namespace ultr::svg_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::parse_xml;
using testing::path_pieces;
using ::testing::SizeIs;
using testing::XmlElement;

Chart learning_curve() {
  Chart chart;
  chart.title = "Learning curve";
  chart.x.label = "epoch";
  chart.x.integer = true;
  chart.y.label = "loss";
  chart.series = {{"train", {1, 2, 3}, {0.5, 0.4, 0.35}}, {"test", {1, 2, 3}, {0.6, 0.5, 0.5}}};
  return chart;
}

/// The line below the plot area: its left end and its length.
struct Baseline {
  double left, bottom, width;
};
Baseline baseline(const XmlElement& axis) {
  const std::string d = axis.attribute("d");
  const auto start = path_pieces(d.substr(0, d.find('h')))[0][0];
  return {start.x, start.y, std::stod(d.substr(d.find('h') + 1))};
}

bool has_text(const XmlElement& svg, const std::string& text) {
  const auto texts = svg.all("text");
  return std::any_of(texts.begin(), texts.end(), [&](const auto* t) { return t->text == text; });
}

TEST(SvgTest, IsOneScalableNamedPicture) {
  const XmlElement svg = parse_xml(render_chart(learning_curve(), {500, 250}));
  EXPECT_EQ(svg.name, "svg");
  EXPECT_EQ(svg.attribute("role"), "img");
  EXPECT_EQ(svg.attribute("xmlns"), "http://www.w3.org/2000/svg");
  EXPECT_EQ(svg.attribute("viewBox"),
            "0 0 " + svg.attribute("width") + " " + svg.attribute("height"));
  EXPECT_EQ(svg.number("width"), 500);
  EXPECT_GT(svg.number("height"), 250);
  EXPECT_EQ(svg.children.front().name, "title");
  EXPECT_EQ(svg.children.front().text, "Learning curve");
  for (const char* text : {"Learning curve", "epoch", "loss", "train", "test"}) {
    EXPECT_TRUE(has_text(svg, text)) << text;
  }
}

TEST(SvgTest, ChartsWithoutTitleAreNamedByTheirAxes) {
  Chart chart = learning_curve();
  chart.title = "";
  EXPECT_EQ(parse_xml(render_chart(chart)).first("title").text, "loss by epoch");
}

TEST(SvgTest, TheAxisEndIsTheRightEdgeOfThePlot) {
  Chart chart = learning_curve();
  chart.x.lower = 1;
  chart.x.upper = 3;
  chart.y.upper = 0.6;
  const XmlElement svg = parse_xml(render_chart(chart, {600, 200}));
  const Baseline axis = baseline(svg.first("path", "axis"));
  const auto line = path_pieces(svg.all("path", "line")[1]->attribute("d"))[0];
  EXPECT_NEAR(line[0].x, axis.left, 0.01);
  EXPECT_NEAR(line[0].y, axis.bottom - 200, 0.01) << "0.6 is the upper end";
  EXPECT_NEAR(line[2].x, axis.left + axis.width, 0.01);
}

TEST(SvgTest, EverythingIsInsideThePicture) {
  Chart chart = learning_curve();
  chart.x = {"sessions", AxisScale::linear, 0, 1000000};
  const XmlElement svg = parse_xml(render_chart(chart, {300, 200}));
  const Baseline axis = baseline(svg.first("path", "axis"));
  EXPECT_LE(axis.left + axis.width, 300);
  for (const XmlElement* label : svg.first("g", "x-ticks").all("text")) {
    EXPECT_LE(label->number("x") + text_width(label->text, 12) / 2, 300) << label->text;
  }
  chart.x = {"sessions", AxisScale::linear, 100000, 100004};
  chart.y.integer = true;  // narrow labels
  for (Series& series : chart.series) series.y = {1, 2, 3};
  const XmlElement shifted = parse_xml(render_chart(chart, {300, 200}));
  EXPECT_EQ(shifted.first("g", "x-ticks").first("text").text, "100,000");
  EXPECT_GE(shifted.first("g", "x-ticks").first("text").number("x"), text_width("100,000", 12) / 2);
  for (const XmlElement* text : svg.all("text")) {
    EXPECT_GE(text->number("x"), 0);
    EXPECT_LT(text->number("y"), svg.number("height"));
  }
}

TEST(SvgTest, TheLegendIsAboveTheData) {
  Chart chart = learning_curve();
  for (int i = 0; i < 20; ++i) chart.series.push_back({"series " + std::to_string(i), {1}, {0.5}});
  const XmlElement svg = parse_xml(render_chart(chart, {400, 200}));
  const double top = baseline(svg.first("path", "axis")).bottom - 200;
  const auto labels = svg.first("g", "legend").all("text");
  EXPECT_THAT(labels, SizeIs(22));
  for (const XmlElement* label : labels) EXPECT_LT(label->number("y"), top);
}

TEST(SvgTest, TextIsEscaped) {
  Chart chart = learning_curve();
  const std::string nasty = "</text><b>&\"'\x01";
  chart.title = chart.x.label = chart.y.label = chart.series[0].label = nasty;
  chart.series[0].markers = true;
  const std::string text = render_chart(chart);
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
  EXPECT_EQ(parse_xml(text).children.front().text, "</text><b>&\"'\xEF\xBF\xBD");
}

TEST(SvgTest, ReferencesNothing) {
  std::string text = render_chart(learning_curve());
  const std::string space = "xmlns=\"http://www.w3.org/2000/svg\"";
  text.erase(text.find(space), space.size());
  for (const char* reference : {"http", "href", "url(", "src", " id=", "@import", "<script"}) {
    EXPECT_THAT(text, Not(HasSubstr(reference)));
  }
}

TEST(SvgTest, IsTheSameEveryTime) {
  EXPECT_EQ(render_chart(learning_curve()), render_chart(learning_curve()));
  const Chart charts[] = {learning_curve(), learning_curve()};
  EXPECT_EQ(render_panels(charts, 2), render_panels(charts, 2));
}

TEST(SvgTest, OddChartsAreDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Chart one, equal, empty = learning_curve(), logarithmic = learning_curve();
  one.series = {{"", {3}, {0.5}}};
  equal.series = {{"", {1, 2}, {7, 7}}};
  for (Series& series : empty.series) series.y = {nan, nan, nan};
  logarithmic.x.scale = logarithmic.y.scale = AxisScale::log;
  for (const Chart& chart : {Chart{}, one, equal, empty, logarithmic}) {
    const std::string text = render_chart(chart);
    EXPECT_NO_THROW(parse_xml(text));
    EXPECT_THAT(text, Not(HasSubstr("nan")));
    EXPECT_THAT(text, Not(HasSubstr("inf")));
  }
}

TEST(SvgPanelsTest, FillRowsOfEqualPlots) {
  Chart short_title = learning_curve(), long_title = learning_curve();
  long_title.title = "A learning curve whose title needs more than one line above a narrow panel";
  short_title.series[0].y = {10000, 20000, 30000};
  const Chart charts[] = {long_title, short_title, short_title};
  const XmlElement svg = parse_xml(render_panels(charts, 2, {700, 150}));
  const auto axes = svg.all("path", "axis");
  ASSERT_THAT(axes, SizeIs(3));
  const Baseline a = baseline(*axes[0]), b = baseline(*axes[1]), c = baseline(*axes[2]);
  EXPECT_EQ(a.bottom, b.bottom);
  EXPECT_NEAR(a.width, b.width, 0.01);
  EXPECT_GT(b.left, a.left + a.width);
  EXPECT_LE(b.left + b.width, 700);
  EXPECT_EQ(c.left, a.left);
  EXPECT_GT(c.bottom - 150, a.bottom);
  EXPECT_EQ(svg.children.front().text,
            long_title.title + "; " + short_title.title + "; " + short_title.title);
  EXPECT_FALSE(has_text(svg, long_title.title)) << "is wrapped";
  double above = 0;
  for (const XmlElement* text : svg.all("text")) {
    if (text->number("x") != 0) continue;
    EXPECT_GE(text->number("y"), above + 13) << text->text;
    above = text->number("y");
  }
}

TEST(SvgPanelsTest, ShareOneLegendIfAllAreEqual) {
  Chart charts[] = {learning_curve(), learning_curve()};
  EXPECT_THAT(parse_xml(render_panels(charts, 2)).all("g", "legend"), SizeIs(1));
  charts[1].series[0].label = "validation";
  EXPECT_THAT(parse_xml(render_panels(charts, 2)).all("g", "legend"), SizeIs(2));
  charts[1] = learning_curve();
  charts[1].series[0].line = LineStyle::dashed;
  EXPECT_THAT(parse_xml(render_panels(charts, 2)).all("g", "legend"), SizeIs(2));
}

TEST(SvgPanelsTest, ColumnsAreLimitedByTheWidth) {
  const std::vector<Chart> charts(8, learning_curve());
  for (const int columns : {-1, 0, 1, 8, 100}) {
    const XmlElement svg = parse_xml(render_panels(charts, columns, {720, 100}));
    for (const XmlElement* axis : svg.all("path", "axis")) EXPECT_GT(baseline(*axis).width, 80);
  }
}

TEST(SvgPanelsTest, RejectBadCharts) {
  EXPECT_THROW(render_panels({}, 1), Error);
  Chart bad = learning_curve();
  bad.series[0].y.pop_back();
  EXPECT_THROW(render_chart(bad), Error);
}

}  // namespace
}  // namespace ultr::svg_test
