#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "testing/xml.h"

namespace ultr::html_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::parse_xml;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::XmlElement;

Chart chart() {
  Chart chart;
  chart.title = "Losses";
  chart.series = {{"train", {1, 2}, {1, 2}}};
  return chart;
}

Report full_report() {
  return {"Two towers",
          "PBM on simulated clicks",
          {{"Training",
            {ReportText{"First.\n\nSecond."}, ReportFigure{{chart(), chart()}, 2, "Two panels."}}},
           {"Results",
            {ReportTable{{"model", "nDCG"}, {{"PBM", "0.73"}, {"IPS", "0.75"}}, "Test set."},
             ReportDetails{"Configuration", "seed: 1\n  lr: 0.1\n"}}}}};
}

XmlElement render(const ReportBlock& block) {
  return parse_xml(render_report({"title", "", {{"heading", {block}}}}));
}

TEST(HtmlTest, HasAllParts) {
  const std::string page = render_report(full_report());
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>\n<html lang=\"en\">"));
  const XmlElement html = parse_xml(page);
  EXPECT_EQ(html.first("head").first("title").text, "Two towers");
  EXPECT_EQ(html.first("h1").text, "Two towers");
  EXPECT_EQ(html.first("p", "summary").text, "PBM on simulated clicks");
  ASSERT_THAT(html.all("section"), SizeIs(2));
  EXPECT_EQ(html.all("h2")[1]->text, "Results");
  const XmlElement& training = *html.all("section")[0];
  ASSERT_THAT(training.all("p"), SizeIs(2));
  EXPECT_EQ(training.all("p")[1]->text, "Second.");
  EXPECT_EQ(training.first("figcaption").text, "Two panels.");
  const XmlElement& results = *html.all("section")[1];
  EXPECT_EQ(results.first("caption").text, "Test set.");
  EXPECT_EQ(results.first("summary").text, "Configuration");
}

TEST(HtmlTest, ReferencesNoOtherFiles) {
  std::string page = render_report(full_report());
  const std::string space = "xmlns=\"http://www.w3.org/2000/svg\"";
  for (std::size_t at; (at = page.find(space)) != std::string::npos;) page.erase(at, space.size());
  for (const char* reference : {"http", "src=", "href", "url(", "@import", "<script", "<link"}) {
    EXPECT_THAT(page, Not(HasSubstr(reference)));
  }
}

TEST(HtmlTest, FitsDarkPhonesAndPaper) {
  const XmlElement html = parse_xml(render_report(full_report()));
  const std::string css = html.first("head").first("style").text;
  for (const char* query :
       {"@media(prefers-color-scheme:dark)", "@media(max-width:", "@media print"}) {
    EXPECT_THAT(css, HasSubstr(query));
  }
  EXPECT_EQ(html.all("meta")[1]->attribute("name"), "viewport");
}

TEST(HtmlTest, EverythingIsEscaped) {
  const std::string nasty = "<b>\"&'</b>";
  const Report report = {nasty,
                         nasty,
                         {{nasty,
                           {ReportText{nasty}, ReportFigure{{chart()}, 1, nasty},
                            ReportTable{{nasty}, {{nasty}}, nasty}, ReportDetails{nasty, nasty}}}}};
  const std::string page = render_report(report);
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  const XmlElement html = parse_xml(page);
  for (const char* element :
       {"title", "h1", "h2", "p", "figcaption", "caption", "th", "td", "summary"}) {
    EXPECT_EQ(html.first(element).text, nasty) << element;
  }
  EXPECT_EQ(html.first("div", "scroll").attribute("aria-label"), nasty);
}

TEST(HtmlTest, EmptyReportsAndBlocksLeaveNoEmptyElements) {
  const XmlElement html = parse_xml(render_report({"title", "", {{"", {ReportText{""}}}}}));
  for (const char* element : {"p", "h2"}) EXPECT_THAT(html.all(element), SizeIs(0));
  EXPECT_THAT(render(ReportFigure{{chart()}}).all("figcaption"), SizeIs(0));
  EXPECT_THAT(render(ReportTable{{"a"}, {}}).all("caption"), SizeIs(0));
}

TEST(HtmlTest, FiguresHaveAPictureForPhones) {
  const XmlElement html = render(ReportFigure{{chart(), chart()}, 2});
  const XmlElement &wide = html.first("div", "wide").first("svg"),
                   &narrow = html.first("div", "narrow").first("svg");
  EXPECT_GT(wide.number("width"), narrow.number("width"));
  EXPECT_GT(narrow.number("height"), 2 * 230) << "two plots below each other";
}

TEST(HtmlTest, PreformattedTextIsKept) {
  for (const char* text : {"a:\n  b: 1\n", "\n\nlines before", "  indented"}) {
    const XmlElement html = render(ReportDetails{"Configuration", text});
    // HTML parsers drop the first line feed in <pre>.
    EXPECT_EQ(html.first("pre").text, "\n" + std::string(text));
  }
}

TEST(HtmlTest, IsTheSameEveryTime) {
  EXPECT_EQ(render_report(full_report()), render_report(full_report()));
}

TEST(HtmlTest, HeadingsAndParagraphsMayHaveIcons) {
  const XmlElement html = parse_xml(render_report(
      {"title", "", {{"Verdict", {ReportText{"One.\n\nTwo.", Mark::warning}}, Mark::good}}}));
  EXPECT_EQ(html.first("h2").text, "Verdict");
  EXPECT_THAT(html.first("h2").all("svg", "icon good"), SizeIs(1));
  ASSERT_THAT(html.all("p", "marked"), SizeIs(2));
  EXPECT_THAT(html.all("svg", "icon warning"), SizeIs(2));
  EXPECT_EQ(html.all("p", "marked")[1]->first("span").text, "Two.");
}

TEST(HtmlTest, CurvesInPanelsHaveOneTitle) {
  Chart curves = chart();
  curves.series.push_back({"validation", {1, 2}, {2, 1}});
  const ReportFigure panels = figure_of_curves(curves, {"curve", "others"}, "A caption.");
  EXPECT_THAT(panels.charts, SizeIs(2));
  const XmlElement html = render(panels);
  EXPECT_EQ(html.first("figure").first("p", "title").text, "Losses");
  EXPECT_EQ(html.first("figcaption").text, "A caption.");
  const ReportFigure single = figure_of_curves(chart(), {});
  EXPECT_THAT(render(single).all("p", "title"), SizeIs(0)) << "the chart has it";
  EXPECT_EQ(single.charts[0].title, "Losses");
}

TEST(HtmlTest, EveryPictureHasAName) {
  const XmlElement html = parse_xml(render_report(full_report()));
  ASSERT_THAT(html.all("svg", "ultr-chart"), SizeIs(2));
  for (const XmlElement* picture : html.all("svg", "ultr-chart")) {
    EXPECT_EQ(picture->attribute("role"), "img");
    EXPECT_EQ(picture->first("title").text, "Losses; Losses");
    EXPECT_THAT(picture->first("desc").text, HasSubstr("Shown: train."));
  }
}

TEST(HtmlTest, ManyPanelsAreTwoToARowOnPhones) {
  const Report report = {
      "title", "", {{"", {ReportFigure{{chart(), chart(), chart(), chart()}, 3}}}}};
  const XmlElement html = parse_xml(render_report(report));
  EXPECT_LT(html.first("div", "narrow").first("svg").number("height"), 3 * 230)
      << "two rows, not four";
}

}  // namespace
}  // namespace ultr::html_test
