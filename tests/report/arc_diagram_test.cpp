#include "report/arc_diagram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "report/html.h"
#include "testing/xml.h"

namespace ultr::arc_diagram_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ArcDiagram diagram() {
  return {.title = "Ranks <linked>",
          .nodes = {"1", "2", "3"},
          .arcs = {{.from = 0, .to = 2, .strength = 1, .tooltip = "1-3: 7"},
                   {.from = 2, .to = 1, .strength = 0, .tooltip = "2-3", .emphasized = true}},
          .node_label = "rank"};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(ArcDiagramTest, DrawsEveryNodeAndEveryArc) {
  const std::string svg = render_arc_diagram(diagram());
  EXPECT_EQ(count(svg, "<circle"), 3u);
  EXPECT_EQ(count(svg, "class=\"arc\""), 2u);
  EXPECT_THAT(svg, AllOf(HasSubstr("<title>1-3: 7</title>"), HasSubstr("Ranks &lt;linked&gt;"),
                         HasSubstr(">rank</text>")));
  EXPECT_EQ(svg, render_arc_diagram(diagram()));
}

TEST(ArcDiagramTest, EmphasizedArcsAreOnTop) {
  ArcDiagram reversed = diagram();
  std::swap(reversed.arcs[0], reversed.arcs[1]);
  const std::string svg = render_arc_diagram(reversed);
  EXPECT_LT(svg.find("1-3: 7"), svg.find(">2-3<"));
}

TEST(ArcDiagramTest, DrawsWithoutArcsAndWithinAReport) {
  EXPECT_THAT(render_arc_diagram({.title = "Nothing", .nodes = {"1"}}), HasSubstr("<svg"));
  const Report report{.title = "Page",
                      .summary = "",
                      .sections = {{"Graph", {ReportArcDiagram{diagram(), "A caption."}}}}};
  EXPECT_THAT(render_report(report), AllOf(HasSubstr("class=\"arc\""), HasSubstr("A caption.")));
}

TEST(ArcDiagramTest, RejectsArcsBetweenUnknownNodes) {
  ArcDiagram wrong = diagram();
  wrong.arcs[0].to = 3;
  EXPECT_THAT([&] { render_arc_diagram(wrong); },
              ThrowsMessage<Error>(HasSubstr("an arc joins node 0 and node 3 of 3")));
  wrong.arcs[0] = {.from = 1, .to = 1};
  EXPECT_THROW(render_arc_diagram(wrong), Error);
  wrong.arcs[0] = {.from = 0, .to = 1, .strength = 1.5};
  EXPECT_THAT([&] { render_arc_diagram(wrong); },
              ThrowsMessage<Error>(HasSubstr("strength 1.5; expected 0 to 1")));
}

}  // namespace
}  // namespace ultr::arc_diagram_test
