#include "report/dot_plot.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/xml.h"

namespace ultr::dot_plot_test {
namespace {

using ::testing::IsEmpty;
using testing::parse_xml;
using ::testing::SizeIs;
using testing::XmlElement;

Dot dot(const std::string& label, double value) {
  Dot made;
  made.label = label;
  made.value = value;
  return made;
}

DotPlot plot() {
  DotPlot made;
  made.title = "Perplexity";
  made.x.label = "test.ppl";
  made.dots = {dot("pbm", 1.2), dot("ubm", 1.1), dot("dbn", 1.15)};
  made.dots[0].low = 1.1;
  made.dots[0].high = 1.3;
  made.dots[0].parts = {1.15, 1.25};
  made.dots[1].mark = "best";
  made.dots[1].emphasized = true;
  return made;
}

XmlElement render(const DotPlot& plot, double width = 720) {
  return parse_xml(render_dot_plot(plot, width));
}

double left_of(const XmlElement& path) { return std::stod(path.attribute("d").substr(1)); }

TEST(DotPlotTest, HasOneRowPerDot) {
  const XmlElement svg = render(plot());
  EXPECT_EQ(svg.first("title").text, "Perplexity");
  ASSERT_THAT(svg.all("text", "label"), SizeIs(3));
  EXPECT_EQ(svg.all("text", "label")[1]->text, "ubm");
  EXPECT_EQ(svg.first("text", "mark").text, "best");
  EXPECT_EQ(svg.first("text", "x-label").text, "test.ppl");
  EXPECT_THAT(svg.all("path", "dot"), SizeIs(3));
  EXPECT_THAT(svg.all("path", "interval"), SizeIs(1));
  EXPECT_THAT(svg.all("circle", "part"), SizeIs(2));
  EXPECT_THAT(svg.all("g", "vermillion"), SizeIs(1));
  EXPECT_EQ(svg.first("g", "row").first("title").text, "pbm: 1.2 [1.1, 1.3]");
}

TEST(DotPlotTest, ARowWithoutAValueSaysSo) {
  DotPlot unknown = plot();
  unknown.dots.push_back(dot("cm", std::nan("")));
  const XmlElement svg = render(unknown);
  EXPECT_THAT(svg.all("path", "dot"), SizeIs(3));
  EXPECT_EQ(svg.all("g", "row")[3]->first("title").text, "cm: no result");
}

TEST(DotPlotTest, ValuesFarAwayAreArrowsAtTheEdge) {
  DotPlot many = plot();
  many.dots.push_back(dot("dcm", 1.25));
  many.dots.push_back(dot("cm", 3.7));
  leave_out_far_values(many);
  ASSERT_TRUE(many.x.upper);
  EXPECT_LT(*many.x.upper, 1.4);
  const XmlElement svg = render(many);
  EXPECT_THAT(svg.all("path", "dot"), SizeIs(4));
  EXPECT_THAT(svg.all("path", "far"), SizeIs(1));
  EXPECT_EQ(svg.all("g", "row")[4]->all("text").back()->text, "3.7");
  DotPlot usual = plot();
  leave_out_far_values(usual);
  EXPECT_FALSE(usual.x.upper);
}

TEST(DotPlotTest, BoldLabelsEndBeforeTheAxis) {
  DotPlot wide = plot(), bold = plot();
  for (Dot& row : wide.dots) row.label = "model.type=pbm optimizer.lr", row.emphasized = false;
  bold.dots = wide.dots;
  bold.dots[0].emphasized = true;
  const auto start = [](const XmlElement& svg) {
    return std::stod(svg.first("path", "axis").attribute("d").substr(1));
  };
  EXPECT_GT(start(render(bold)), start(render(wide)) + 10);
}

TEST(DotPlotTest, IsDescribedInWords) {
  EXPECT_EQ(render(plot()).first("desc").text, "test.ppl: pbm 1.2; ubm 1.1; dbn 1.15.");
}

TEST(DotPlotTest, PlacesAreOnOneScale) {
  const XmlElement svg = render(plot());
  const auto dots = svg.all("path", "dot");
  const double pbm = left_of(*dots[0]), ubm = left_of(*dots[1]), dbn = left_of(*dots[2]);
  EXPECT_NEAR(pbm - dbn, dbn - ubm, 0.02) << "1.2, 1.15, 1.1";
  const auto parts = svg.all("circle", "part");
  EXPECT_NEAR(parts[0]->number("cx"), dbn, 0.01);
  EXPECT_NEAR(left_of(svg.first("path", "interval")), ubm, 0.01);
}

TEST(DotPlotTest, EverythingStaysInside) {
  DotPlot lengthy = plot();
  lengthy.dots[0].label = std::string(200, 'w');
  lengthy.dots[2].mark = "not significant";
  for (const double width : {720., 360.}) {
    const XmlElement svg = render(lengthy, width);
    EXPECT_EQ(svg.number("width"), width);
    for (const auto* text : svg.all("text")) {
      EXPECT_GE(text->number("x"), 0);
      EXPECT_LT(text->number("x"), width);
      EXPECT_LT(text->number("y"), svg.number("height"));
    }
    EXPECT_TRUE(svg.first("text", "label").text.ends_with("…"));
  }
}

TEST(DotPlotTest, LabelsStandAboveTheirRowsOnPhones) {
  const auto same_line = [](double width) {
    const XmlElement svg = render(plot(), width);
    const double label = svg.all("text", "label")[1]->number("y"),
                 mark = svg.first("text", "mark").number("y");
    return std::abs(label - mark) < 1;
  };
  EXPECT_TRUE(same_line(720));
  EXPECT_FALSE(same_line(360));
}

TEST(DotPlotTest, OmitsValuesThatAreNotNumbers) {
  DotPlot empty;
  empty.dots = {dot("failed", std::numeric_limits<double>::quiet_NaN())};
  EXPECT_THAT(render(empty).all("path", "dot"), IsEmpty());
  EXPECT_EQ(render(empty).first("text", "label").text, "failed");
  EXPECT_THAT(render(DotPlot{}).all("path", "dot"), IsEmpty());
}

TEST(DotPlotTest, TextIsEscaped) {
  const std::string nasty = "<b>\"&'</b>";
  DotPlot escaped = plot();
  escaped.title = escaped.x.label = escaped.dots[0].label = escaped.dots[0].mark = nasty;
  const XmlElement svg = render(escaped);
  EXPECT_EQ(svg.first("title").text, nasty);
  EXPECT_EQ(svg.first("text", "label").text, nasty);
  EXPECT_EQ(svg.first("text", "mark").text, nasty);
  EXPECT_EQ(svg.first("text", "x-label").text, nasty);
}

TEST(DotPlotTest, RejectsWrongAxes) {
  DotPlot wrong = plot();
  wrong.x.lower = 2;
  wrong.x.upper = 1;
  EXPECT_THROW(render(wrong), Error);
}

}  // namespace
}  // namespace ultr::dot_plot_test
