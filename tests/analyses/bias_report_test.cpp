#include "analyses/bias_report.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/svg.h"
#include "testing/not_finite.h"
#include "testing/xml.h"

namespace ultr::bias_report_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::nan;
using ::testing::Not;

BiasPage page() {
  BiasPage page{.name = "log", .sessions = 10, .documents = 30};
  page.estimation.estimates = {
      {.method = "ctr",
       .propensities = {1, 0.5, nan},
       .intervals = {ConfidenceInterval{1, 1}, ConfidenceInterval{0.4, 0.625}, std::nullopt}},
      {.method = "regression_em", .propensities = {1, 0.25, 0}, .intervals = {}}};
  page.estimation.notes = {"ctr: unknown at rank 3"};
  return page;
}

TEST(BiasReportTest, TheTableHasOneRowPerRankAndOneColumnPerMethod) {
  const ReportTable table = bias_table(page());
  EXPECT_THAT(table.header, ElementsAre("rank", "ctr", "regression_em"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("1", "1.0000", "1.0000"),
                                      ElementsAre("2", "0.5000 [0.4000, 0.6250]", "0.2500"),
                                      ElementsAre("3", "-", "0.0000")));
}

TEST(BiasReportTest, AKnownTruthIsAColumnAndADashedCurve) {
  BiasPage with_truth = page();
  with_truth.truth = {1, 0.5};
  const ReportTable table = bias_table(with_truth);
  EXPECT_EQ(table.header.back(), "truth");
  EXPECT_EQ(table.rows[1].back(), "0.5000");
  EXPECT_EQ(table.rows[2].back(), "-");
  const Chart chart = bias_chart(with_truth);
  ASSERT_EQ(chart.series.size(), 3u);
  EXPECT_EQ(chart.series[2].line, LineStyle::dashed);
  EXPECT_EQ(bias_chart(page()).series.size(), 2u);
}

TEST(BiasReportTest, TheChartHasOneCurvePerMethodWithItsInterval) {
  const Chart chart = bias_chart(page());
  EXPECT_EQ(chart.series[0].label, "ctr");
  EXPECT_THAT(chart.series[0].x, ElementsAre(1, 2, 3));
  EXPECT_EQ(chart.series[0].low[1], 0.4);
  EXPECT_EQ(chart.series[0].high[1], 0.625);
  EXPECT_TRUE(chart.series[1].low.empty());
  EXPECT_THAT(render_chart(chart), HasSubstr("regression_em"));
}

TEST(BiasReportTest, EachMethodHasAPanelWithTheTruth) {
  BiasPage with_truth = page();
  with_truth.truth = {1, 0.5};
  const ReportFigure figure = bias_figure(with_truth);
  ASSERT_EQ(figure.charts.size(), 2u);
  EXPECT_EQ(figure.charts[0].title, "ctr");
  EXPECT_EQ(figure.charts[1].title, "regression_em");
  for (const Chart& chart : figure.charts)
    EXPECT_EQ(std::ranges::count(chart.series, "truth", &Series::label), 1);
  EXPECT_THAT(draw_bias(with_truth), AllOf(HasSubstr("ctr"), HasSubstr("regression_em")));
}

TEST(BiasReportTest, EstimatesFarApartAreOnALogAxis) {
  BiasPage far = page();
  EXPECT_EQ(bias_chart(far).y.scale, AxisScale::linear) << "an estimate of 0";
  far.estimation.estimates[1].propensities = {1, 0.25, 0.125};
  EXPECT_EQ(bias_chart(far).y.scale, AxisScale::log);
}

TEST(BiasReportTest, ThePageShowsChartTableAndNotes) {
  BiasPage large = page();
  large.sessions = 12345;
  const std::string html = render_report(bias_report(large));
  EXPECT_THAT(html, AllOf(HasSubstr("Position bias of log"), HasSubstr("<svg"),
                          HasSubstr("12,345 training sessions"), HasSubstr(" [0.4000, 0.6250]"),
                          HasSubstr("ctr: unknown at rank 3"), HasSubstr("icon warning")));
  BiasPage complete = page();
  complete.estimation.notes.clear();
  EXPECT_THAT(render_report(bias_report(complete)), Not(HasSubstr("What the sessions do not say")));
}

}  // namespace
}  // namespace ultr::bias_report_test
