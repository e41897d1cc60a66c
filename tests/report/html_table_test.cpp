#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "report/html.h"
#include "testing/xml.h"

namespace ultr::html_table_test {
namespace {

using ::testing::HasSubstr;
using testing::parse_xml;
using ::testing::SizeIs;
using testing::XmlElement;

XmlElement render(const ReportTable& table) {
  return parse_xml(render_report({"title", "", {{"heading", {table}}}}));
}

/// True if a column of these cells is numeric.
bool is_numeric(const std::vector<std::string>& cells) {
  ReportTable table = {{"column"}, {}, ""};
  for (const std::string& cell : cells) table.rows.push_back({cell});
  const XmlElement html = render(table);
  EXPECT_EQ(html.first("th").attribute("class"), html.first("td").attribute("class"));
  return html.first("td").attribute("class") == "number";
}

TEST(HtmlTableTest, HasARowOfHeaders) {
  const XmlElement html = render({{"a", "b"}, {{"1", "x"}, {"2", "y"}}, ""});
  ASSERT_THAT(html.first("thead").all("th"), SizeIs(2));
  EXPECT_EQ(html.first("th").attribute("scope"), "col");
  ASSERT_THAT(html.first("tbody").all("tr"), SizeIs(2));
  EXPECT_EQ(html.first("tbody").all("tr")[1]->all("td")[1]->text, "y");
  EXPECT_EQ(html.all("td")[0]->attribute("class"), "number");
  EXPECT_EQ(html.all("td")[1]->attribute("class"), "");
}

TEST(HtmlTableTest, ScrollsInAContainerThatTheKeyboardReaches) {
  ReportTable folded = {{"a"}, {{"1"}}, ""};
  folded.folded_under = "Numbers";
  const XmlElement html = parse_xml(
      render_report({"title", "", {{"", {ReportTable{{"a"}, {{"1"}}, "Caption."}, folded}}}}));
  ASSERT_THAT(html.all("table"), SizeIs(2));
  ASSERT_THAT(html.all("div", "scroll"), SizeIs(2));
  for (const XmlElement* container : html.all("div", "scroll")) {
    EXPECT_THAT(container->all("table"), SizeIs(1));
    EXPECT_EQ(container->attribute("role"), "region");
    EXPECT_EQ(container->attribute("tabindex"), "0");
  }
  EXPECT_EQ(html.all("div", "scroll")[0]->attribute("aria-label"), "Caption.");
  EXPECT_EQ(html.first("details").first("summary").text, "Numbers");
  EXPECT_THAT(html.first("details").all("table"), SizeIs(1));
}

TEST(HtmlTableTest, TheStyleSheetShowsThatATableGoesOn) {
  const std::string css = render({{"a"}, {{"1"}}, ""}).first("style").text;
  const std::string container = css.substr(css.find("\n.scroll{"), 600);
  for (const char* part : {"overflow-x:auto", "local", "var(--edge),transparent"})
    EXPECT_THAT(container.substr(0, container.find('}')), HasSubstr(part));
  EXPECT_THAT(css, HasSubstr("\n.key{position:sticky;left:0;"));
}

TEST(HtmlTableTest, ANarrowFirstColumnStaysInView) {
  EXPECT_EQ(render({{"model", "a", "b"}, {{"pbm", "1", "2"}}, ""}).first("td").attribute("class"),
            "key");
  EXPECT_EQ(render({{"rank", "a", "b"}, {{"1", "1", "2"}}, ""}).first("th").attribute("class"),
            "number key");
  EXPECT_EQ(render({{"model", "a"}, {{"pbm", "1"}}, ""}).first("td").attribute("class"), "")
      << "two columns need no key";
  const std::string wide(40, 'm');
  EXPECT_EQ(render({{"model", "a", "b"}, {{wide, "1", "2"}}, ""}).first("td").attribute("class"),
            "prose");
}

TEST(HtmlTableTest, LongTextsAreBrokenIntoLines) {
  const std::string words = "a sentence that says much more than fits into a narrow column";
  const XmlElement html = render({{"a", "why"}, {{"x", words}}, ""});
  EXPECT_EQ(html.all("td")[1]->attribute("class"), "prose");
  EXPECT_EQ(html.all("td")[0]->attribute("class"), "");
}

TEST(HtmlTableTest, IntervalsStandBehindTheirNumbers) {
  const XmlElement html = render({{"a"}, {{"0.5 [0.4, 0.6]"}, {"1"}}, ""});
  EXPECT_EQ(html.all("td")[0]->text, "0.5");
  EXPECT_EQ(html.first("span", "interval").text, " [0.4, 0.6]");
  EXPECT_EQ(html.all("td")[1]->text, "1");
}

TEST(HtmlTableTest, CellsMayBeLinks) {
  const XmlElement html =
      render({{"run", "a"}, {{linked_cell("lr=1 & <2>", "a%20b/report.html"), "1"}}, ""});
  EXPECT_EQ(html.first("a").attribute("href"), "a%20b/report.html");
  EXPECT_EQ(html.first("a").text, "lr=1 & <2>");
  EXPECT_THAT(html.all("a"), SizeIs(1));
}

TEST(HtmlTableTest, VerdictsHaveIconsOfDifferentShapes) {
  ReportTable table{{"verdict"}, {}, ""};
  const std::vector<Mark> marks = {Mark::good,   Mark::bad,     Mark::even,
                                   Mark::chosen, Mark::missing, Mark::warning};
  for (const Mark mark : marks) table.rows.push_back({marked_cell("verdict", mark)});
  table.rows.push_back({"no icon"});
  const XmlElement html = render(table);
  ASSERT_THAT(html.all("svg"), SizeIs(marks.size()));
  std::set<std::string> shapes;
  for (const XmlElement* icon : html.all("svg")) {
    shapes.insert(icon->first("path").attribute("d"));
    EXPECT_EQ(icon->attribute("aria-hidden"), "true") << "the words say the same";
  }
  EXPECT_THAT(shapes, SizeIs(marks.size()));
  EXPECT_EQ(html.all("td")[0]->text, "verdict");
  EXPECT_THAT(html.all("tr", "chosen"), SizeIs(1));
}

TEST(HtmlTableTest, NumericColumns) {
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

TEST(HtmlTableTest, RejectsRaggedTables) {
  const ReportTable ragged = {{"a", "b"}, {{"1"}}, "Test set."};
  EXPECT_THAT([&] { render(ragged); }, ::testing::ThrowsMessage<Error>(HasSubstr("Test set.")));
}

}  // namespace
}  // namespace ultr::html_table_test
