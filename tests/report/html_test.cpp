#include "report/html.h"

#include <cmath>

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

/// True if a column of these cells is numeric.
bool is_numeric(const std::vector<std::string>& cells) {
  ReportTable table = {{"column"}, {}, ""};
  for (const std::string& cell : cells) table.rows.push_back({cell});
  const XmlElement html = render(table);
  EXPECT_EQ(html.first("th").attribute("class"), html.first("td").attribute("class"));
  return html.first("td").attribute("class") == "number";
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

TEST(HtmlTest, TablesHaveARowOfHeaders) {
  const XmlElement html = render(ReportTable{{"a", "b"}, {{"1", "x"}, {"2", "y"}}, ""});
  ASSERT_THAT(html.first("thead").all("th"), SizeIs(2));
  EXPECT_EQ(html.first("th").attribute("scope"), "col");
  ASSERT_THAT(html.first("tbody").all("tr"), SizeIs(2));
  EXPECT_EQ(html.first("tbody").all("tr")[1]->all("td")[1]->text, "y");
  EXPECT_EQ(html.all("td")[0]->attribute("class"), "number");
  EXPECT_EQ(html.all("td")[1]->attribute("class"), "");
}

TEST(HtmlTest, NumericColumns) {
  EXPECT_TRUE(is_numeric({"0.512", "-3.2%", "1.5e-3", "+7", ".5", "1,000,000", "−1"}));
  EXPECT_TRUE(is_numeric({"0.43 ± 0.01", "0.5 [0.4, 0.6]", "< 0.01", "0.7*"}));
  EXPECT_TRUE(is_numeric({"1", "", "—", "nan", "-inf"}));
  EXPECT_FALSE(is_numeric({"1", "PBM"}));
  EXPECT_FALSE(is_numeric({"1", "12 models"}));
  EXPECT_FALSE(is_numeric({"1", "e5"}));
  EXPECT_FALSE(is_numeric({"1", "1 e 5"}));
  EXPECT_FALSE(is_numeric({"1", "†"}));
  EXPECT_FALSE(is_numeric({"1", "+"}));
  EXPECT_FALSE(is_numeric({"", "-"})) << "nothing is a number";
}

TEST(HtmlTest, RejectsRaggedTables) {
  const ReportTable ragged = {{"a", "b"}, {{"1"}}, "Test set."};
  EXPECT_THAT([&] { render(ragged); }, ::testing::ThrowsMessage<Error>(HasSubstr("Test set.")));
}

TEST(HtmlTest, IsTheSameEveryTime) {
  EXPECT_EQ(render_report(full_report()), render_report(full_report()));
}

TEST(NumberOrDashTest, HasFourDigitsOrNone) {
  EXPECT_EQ(number_or_dash(0.12345), "0.1235");
  EXPECT_EQ(number_or_dash(-2), "-2.0000");
  EXPECT_EQ(number_or_dash(std::nan("")), "-");
  EXPECT_EQ(number_or_dash(HUGE_VAL), "-");
}

}  // namespace
}  // namespace ultr::html_test
