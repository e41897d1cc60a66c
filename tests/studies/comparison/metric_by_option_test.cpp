#include "studies/comparison/metric_by_option.h"

#include <cmath>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::metric_by_option_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

RunResults run(const OptionValues& options, std::int64_t seed, double ppl) {
  return {.folder = "run",
          .name = "experiment",
          .options = options,
          .seed = seed,
          .metrics = {{"test.ppl", ppl}, {"valid.cond_ppl", ppl}, {"test.ranking.ndcg@10", ppl}}};
}

/// Returns a comparison of runs of one seed with these values of the option "rate".
Comparison over_rates(const std::vector<std::pair<std::string, double>>& runs) {
  std::vector<RunResults> all;
  for (const auto& [rate, ppl] : runs) all.push_back(run({{"rate", rate}}, 1, ppl));
  return compare(all, {.refuse_different_queries = false});
}

/// Returns the chart over numbers.
Chart chart_of(const Comparison& comparison) {
  const std::vector<ReportBlock> blocks = charts_by_option(comparison, deciding_metric(comparison));
  return std::get<ReportFigure>(blocks.at(0)).charts.at(0);
}

TEST(ConfigurationMetricTest, BestFirst) {
  ConfigurationMetric metric{.metric = "m", .each = std::vector<SeedSummary>(3)};
  metric.each[0] = summarize_seeds({{"1", 3}});
  metric.each[2] = summarize_seeds({{"1", 2}});
  EXPECT_THAT(metric.best_first(), ElementsAre(2, 0, 1)) << "without results last";
  metric.higher_is_better = true;
  EXPECT_THAT(metric.best_first(), ElementsAre(0, 2, 1));
}

TEST(DecidingMetricTest, IsThatOfTheSelectionOrTheFirst) {
  Comparison comparison = over_rates({{"1", 3}, {"2", 2}});
  EXPECT_EQ(deciding_metric(comparison).metric, "valid.cond_ppl");
  EXPECT_FALSE(deciding_metric(comparison).higher_is_better);
  comparison.selection.reset();
  EXPECT_EQ(deciding_metric(comparison).metric, "test.ppl");
  EXPECT_TRUE(metric_of(comparison, "test.ranking.ndcg@10").higher_is_better);
  comparison.metrics.clear();
  EXPECT_EQ(deciding_metric(comparison).metric, "");
}

TEST(ChartsByOptionTest, ALineOverNumbersIsSorted) {
  const Chart chart = chart_of(over_rates({{"2", 1.3}, {"3", 1.1}, {"1", 1.2}}));
  EXPECT_EQ(chart.title, "valid.cond_ppl by rate");
  EXPECT_EQ(chart.x.label, "rate");
  EXPECT_TRUE(chart.x.integer);
  EXPECT_THAT(chart.y.label, HasSubstr("lower is better"));
  ASSERT_THAT(chart.series, SizeIs(1)) << "runs are the points of the line";
  EXPECT_THAT(chart.series[0].x, ElementsAre(1, 2, 3));
  EXPECT_THAT(chart.series[0].y, ElementsAre(1.2, 1.3, 1.1));
  EXPECT_THAT(chart.series[0].low, SizeIs(0));
}

TEST(ChartsByOptionTest, NumbersSpacedByFactorsHaveALogAxis) {
  const auto scale = [](const std::vector<std::string>& rates) {
    std::vector<std::pair<std::string, double>> runs;
    for (const std::string& rate : rates)
      runs.emplace_back(rate, 1 + 0.1 * static_cast<double>(runs.size()));
    return chart_of(over_rates(runs)).x.scale;
  };
  EXPECT_EQ(scale({"0.001", "0.01", "0.1", "1"}), AxisScale::log);
  EXPECT_EQ(scale({"64", "256", "1024"}), AxisScale::log);
  EXPECT_EQ(scale({"1e4", "1e5"}), AxisScale::log);
  EXPECT_EQ(scale({"1", "2", "3", "4"}), AxisScale::linear);
  EXPECT_EQ(scale({"0", "0.001", "0.01", "0.1"}), AxisScale::linear) << "0 has no logarithm";
  EXPECT_EQ(scale({"1", "2"}), AxisScale::linear);
}

TEST(ChartsByOptionTest, TheLineJoinsTheBestOfTheOtherOptionsWithItsSeeds) {
  std::vector<RunResults> runs;
  for (const std::int64_t seed : {1, 2})
    for (const auto& [type, worse] : {std::pair{"a", 0.5}, std::pair{"b", 0.0}})
      for (const auto& [rate, ppl] : {std::pair{"0.1", 1.5}, std::pair{"1", 1.25}})
        runs.push_back(run({{"type", type}, {"rate", rate}}, seed,
                           ppl + worse + 0.125 * static_cast<double>(seed)));
  const Comparison comparison = compare(runs, {.refuse_different_queries = false});
  const std::vector<ReportBlock> blocks = charts_by_option(comparison, deciding_metric(comparison));
  ASSERT_THAT(blocks, SizeIs(2)) << "numbers, and names";
  const auto& figure = std::get<ReportFigure>(blocks[0]);
  EXPECT_THAT(figure.caption, HasSubstr("95% interval"));
  const Chart& chart = figure.charts.at(0);
  ASSERT_THAT(chart.series, SizeIs(2));
  EXPECT_EQ(chart.series[0].label, "runs");
  EXPECT_THAT(chart.series[0].y, SizeIs(8));
  EXPECT_EQ(chart.series[1].label, "best of the other options");
  EXPECT_THAT(chart.series[1].y, ElementsAre(1.6875, 1.4375));
  EXPECT_THAT(chart.series[1].low, ElementsAre(1.625, 1.375));
  EXPECT_THAT(chart.series[1].high, ElementsAre(1.75, 1.5));

  const DotPlot& plot = std::get<ReportDotPlot>(blocks[1]).plot;
  EXPECT_EQ(plot.title, "valid.cond_ppl by type");
  ASSERT_THAT(plot.dots, SizeIs(2));
  EXPECT_EQ(plot.dots[0].label, "b");
  EXPECT_TRUE(plot.dots[0].emphasized) << "it was selected";
  EXPECT_FALSE(plot.dots[1].emphasized);
  EXPECT_EQ(plot.dots[0].value, 1.4375);
  EXPECT_EQ(plot.dots[0].low, 1.375);
  EXPECT_THAT(plot.dots[0].parts, SizeIs(4));
}

TEST(ChartsByOptionTest, RunsFarAboveTheLineDoNotFlattenIt) {
  std::vector<RunResults> runs;
  for (const auto& [type, rate, ppl] : {std::tuple{"1", "0.1", 1.5}, std::tuple{"1", "1", 1.25},
                                        std::tuple{"2", "0.1", 6.5}, std::tuple{"2", "1", 1.375}})
    runs.push_back(run({{"type", type}, {"rate", rate}}, 1, ppl));
  const Comparison comparison = compare(runs, {.refuse_different_queries = false});
  const auto figure =
      std::get<ReportFigure>(charts_by_option(comparison, deciding_metric(comparison)).at(0));
  ASSERT_THAT(figure.charts, SizeIs(2));
  for (const Chart& chart : figure.charts) EXPECT_LT(*chart.y.upper, 6) << chart.title;
  EXPECT_THAT(figure.caption, HasSubstr("Runs far above are left out."));
  const Comparison near = over_rates({{"1", 1.5}, {"2", 1.25}});
  const auto whole = std::get<ReportFigure>(charts_by_option(near, deciding_metric(near)).at(0));
  EXPECT_THAT(whole.caption, Not(HasSubstr("left out")));
}

TEST(ChartsByOptionTest, AnOptionThatMattersMuchDoesNotFlattenAnother) {
  std::vector<RunResults> runs;
  for (const auto& [depth, worse] : {std::pair{"1", 2.0}, std::pair{"2", 0.0}})
    for (const auto& [rate, ppl] : {std::pair{"0.1", 1.27}, std::pair{"1", 1.25}})
      runs.push_back(run({{"depth", depth}, {"rate", rate}}, 1, ppl + worse));
  const Comparison comparison = compare(runs, {.refuse_different_queries = false});
  const auto figure =
      std::get<ReportFigure>(charts_by_option(comparison, deciding_metric(comparison)).at(0));
  ASSERT_THAT(figure.charts, SizeIs(2));
  for (const Chart& chart : figure.charts) {
    const std::vector<double>& best = chart.series.back().y;
    const AxisLimits limits = chart_limits(chart).y;
    EXPECT_GT(std::abs(best[0] - best[1]), 0.2 * (limits.upper - limits.lower)) << chart.title;
  }
}

TEST(ChartsByOptionTest, FailedRunsAndLackingOptionsAreLeftOut) {
  std::vector<RunResults> runs = {run({{"rate", "1"}}, 1, 1.5), run({{"rate", "2"}}, 1, 1.25),
                                  run({{"rate", "3"}}, 1, 1)};
  runs[2].metrics.clear();
  runs[2].failure = "diverged";
  EXPECT_THAT(chart_of(compare(runs, {.refuse_different_queries = false})).series[0].x,
              ElementsAre(1, 2));
}

}  // namespace
}  // namespace ultr::metric_by_option_test
