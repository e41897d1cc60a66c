#include "studies/study_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/significance.h"
#include "studies/run_study.h"
#include "studies/small_study.h"
#include "testing/errors.h"

namespace ultr::study_figures_test {
namespace {

using testing::config_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::on_axis;
using testing::SmallStudy;

/// Returns x = 10 v + tau + seed / 100 for variant number v, and the list x, 2 x, 3 x.
std::map<std::string, double> results(const StudyPoint& point) {
  const double x = 10 * testing::variant_of(point, {"a", "b", "fixed", "late"}) +
                   on_axis(point, "tau") + on_axis(point, "seed") / 100;
  return {{"x", x},         {"list.1", x},   {"list.2", 2 * x}, {"list.3", 3 * x},
          {"grid.1", 0.25}, {"grid.2", 0.5}, {"grid.3", 1}};
}

StudyPicture draw(const std::string& figure, const std::vector<std::string>& overrides = {}) {
  SmallStudy small(R"(
study: s
experiment: {}
grid: {tau: {key: t, values: [1, 2]}, seed: 1..3}
variants: {a: {}, b: {}, fixed: {grid: {tau: 1}}, late: {grid: {tau: [2]}}}
measures: {x: {path: x, label: the x}, list: list, grid: grid}
figures: [)" + figure + "]",
                   overrides);
  check_study(small.study);
  const StudyTable table = small.table(results);
  return draw_figure(small.study.figures.front(), table);
}

std::vector<Chart> charts(const std::string& figure) {
  const StudyPicture picture = draw(figure);
  EXPECT_THAT(picture.svg, HasSubstr("<svg"));
  return std::get<ReportFigure>(picture.blocks.front()).charts;
}

TEST(StudyFiguresTest, LinesAreMeansWithABootstrapBand) {
  const std::vector<Chart> panels = charts("{x: tau, y: x, lines: variant}");
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].y.label, "the x");
  ASSERT_EQ(panels[0].series.size(), 4u);
  const Series& a = panels[0].series[0];
  EXPECT_EQ(a.label, "a");
  EXPECT_THAT(a.x, ElementsAre(1, 2));
  EXPECT_THAT(a.y, ElementsAre(::testing::DoubleEq((1.01 + 1.02 + 1.03) / 3),
                               ::testing::DoubleEq((2.01 + 2.02 + 2.03) / 3)));
  const std::vector<double> over_seeds = {1.01, 1.02, 1.03};
  EXPECT_DOUBLE_EQ(a.low[0], bootstrap_interval(over_seeds).lower);
  EXPECT_DOUBLE_EQ(a.high[0], bootstrap_interval(over_seeds).upper);
  const Series& fixed = panels[0].series[2];
  EXPECT_EQ(fixed.y[0], fixed.y[1]) << "what does not vary tau is the same everywhere";
  EXPECT_THAT(panels[0].series[3].x, ElementsAre(2)) << "what was not run is left out";
}

TEST(StudyFiguresTest, AnAxisOrSeveralMeasuresMakePanels) {
  const std::vector<Chart> of_axis = charts("{x: rank, y: list, lines: variant, panels: tau}");
  ASSERT_EQ(of_axis.size(), 2u);
  EXPECT_EQ(of_axis[1].title, "tau = 2");
  EXPECT_THAT(of_axis[0].series[0].x, ElementsAre(1, 2, 3));
  EXPECT_TRUE(of_axis[0].x.integer);
  const std::vector<Chart> of_measures =
      charts("{x: tau, y: [x, 2 * x], lines: variant, at: {variant: [b, a]}}");
  ASSERT_EQ(of_measures.size(), 2u);
  EXPECT_EQ(of_measures[1].y.label, "2 * x");
  EXPECT_EQ(of_measures[1].series.size(), 2u);
  EXPECT_DOUBLE_EQ(of_measures[1].series[0].y[0], 2 * of_measures[0].series[0].y[0]);
}

TEST(StudyFiguresTest, ReferencesAreDashedAndXValuesReplaceRanks) {
  const std::vector<Chart> panels = charts(
      "{x: rank, x_values: grid, y: list, lines: tau, at: {variant: a}, reference: {half: 0.5, "
      "other: b.list}}");
  const Chart& chart = panels.front();
  ASSERT_EQ(chart.series.size(), 4u);
  EXPECT_EQ(chart.series[0].label, "tau = 1");
  EXPECT_THAT(chart.series[0].x, ElementsAre(0.25, 0.5, 1));
  EXPECT_EQ(chart.series[2].line, LineStyle::dashed);
  EXPECT_THAT(chart.series[2].y, ElementsAre(0.5, 0.5, 0.5));
  EXPECT_THAT(chart.series[2].low, IsEmpty());
  EXPECT_DOUBLE_EQ(chart.series[3].y[0], 11.02) << "of b at the first tau";
}

TEST(StudyFiguresTest, DotsThatDifferFromTheirBaselineAreMarked) {
  const StudyPicture picture =
      draw("{kind: dots, y: x, lines: variant, at: {tau: 1}, baseline: b}");
  const DotPlot& plot = std::get<ReportDotPlot>(picture.blocks.front()).plot;
  ASSERT_EQ(plot.dots.size(), 4u);
  EXPECT_EQ(plot.dots[0].label, "a");
  EXPECT_EQ(plot.dots[0].mark, "▼");
  EXPECT_EQ(plot.dots[0].parts.size(), 3u);
  EXPECT_EQ(plot.dots[1].mark, "");
  EXPECT_TRUE(plot.dots[1].emphasized);
  EXPECT_EQ(plot.dots[2].mark, "▲");
  EXPECT_THAT(std::get<ReportDotPlot>(picture.blocks.front()).caption,
              HasSubstr("corrected for 2 tests"));
}

TEST(StudyFiguresTest, TablesShowMeansAndStandardDeviations) {
  const StudyPicture picture = draw(
      "{kind: table, y: [x, -x], lines: variant, panels: tau, at: {variant: [a, b]}, baseline: {b: "
      "a}}");
  EXPECT_THAT(picture.svg, IsEmpty());
  ASSERT_EQ(picture.blocks.size(), 2u);
  const ReportTable& table = std::get<ReportTable>(picture.blocks[1]);
  EXPECT_THAT(table.header, ElementsAre("variant", "the x", "-x"));
  EXPECT_THAT(table.rows[0], ElementsAre("a", "2.0200 (0.0100)", "-2.0200 (0.0100)"));
  EXPECT_THAT(table.rows[1], ElementsAre("b", "12.0200 (0.0100) ▲", "-12.0200 (0.0100) ▼"));
  EXPECT_THAT(table.caption, HasSubstr("tau = 2. ▲ above and ▼ below"));
}

TEST(StudyFiguresTest, OneSeedHasNeitherBandNorMark) {
  const StudyPicture lines = draw("{x: tau, y: x, lines: variant}", {"seed=1"});
  EXPECT_THAT(std::get<ReportFigure>(lines.blocks.front()).charts[0].series[0].low, IsEmpty());
  const StudyPicture table =
      draw("{kind: table, y: x, lines: variant, panels: tau, baseline: a}", {"seed=1"});
  EXPECT_EQ(std::get<ReportTable>(table.blocks.front()).rows[1][1], "11.0100");
}

TEST(StudyFiguresTest, SeedsWithoutResultsAreLeftOut) {
  SmallStudy small(
      "{study: s, experiment: {}, grid: {tau: {key: t, values: [1, 2]}, seed: 1..3}, "
      "measures: {x: x}, figures: [{x: tau, y: x}]}");
  const StudyTable table = small.table([](const StudyPoint& point) {
    return point.seed() == "2" ? std::map<std::string, double>() : results(point);
  });
  const StudyPicture picture = draw_figure(small.study.figures.front(), table);
  const Chart& chart = std::get<ReportFigure>(picture.blocks.front()).charts.front();
  EXPECT_DOUBLE_EQ(chart.series.front().y.front(), (1.01 + 1.03) / 2);
}

TEST(StudyFiguresTest, MistakesAreFoundBeforeAnythingRuns) {
  const auto message = [](const std::string& figure) {
    return config_message([&] { draw(figure); });
  };
  EXPECT_THAT(message("{x: tau, y: z, lines: variant}"), HasSubstr("unknown measure 'z'"));
  EXPECT_THAT(message("{x: tau, y: x}"), HasSubstr("'x' leaves variant open"));
  EXPECT_THAT(message("{kind: dots, y: x, lines: variant}"), HasSubstr("leaves tau open"));
  EXPECT_THAT(message("{x: tau, y: late.x(tau=1)}"), HasSubstr("the figure shows nothing that is"));
}

}  // namespace
}  // namespace ultr::study_figures_test
