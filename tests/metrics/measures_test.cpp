#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "metrics/metrics.h"

namespace ultr::measures_test {
namespace {

using ::testing::ElementsAre;

/// Adds a document to both kinds of predictions.
void add(ClickEvaluation& evaluation, std::size_t rank, bool clicked, double p, double free_p) {
  evaluation.conditional.add(rank, clicked, std::log(p), std::log(1 - p));
  evaluation.unconditional.add(rank, clicked, std::log(free_p), std::log(1 - free_p));
}

std::vector<std::string> names_of(const std::vector<MetricValue>& values) {
  std::vector<std::string> names;
  for (const MetricValue& value : values) names.push_back(value.name);
  return names;
}

template <class Table>
void expect_described(const Table& table) {
  std::set<std::string_view> names;
  for (const Measure& measure : table) {
    EXPECT_TRUE(names.insert(measure.name).second) << measure.name << " appears twice";
    EXPECT_FALSE(measure.help.empty()) << measure.name;
    EXPECT_EQ(measure.help.find('\n'), std::string_view::npos) << measure.name;
  }
}

TEST(MeasureTest, EveryRowHasANameOfItsOwnAndOneLineOfHelp) {
  expect_described(click_measures());
  expect_described(ranking_measures());
}

/// Returns true if a is no worse than b.
bool no_worse(double a, double b, Better better) {
  const double rounding = 1e-12;
  return better == Better::higher ? a >= b - rounding : a <= b + rounding;
}

TEST(MeasureTest, TheBestOrderIsTheBestByEveryRankingMeasure) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    std::vector<int> labels(1 + random() % 12);
    for (int& label : labels) label = static_cast<int>(random() % 5);
    std::vector<double> scores(labels.size());
    std::iota(scores.begin(), scores.end(), 0);
    std::shuffle(scores.begin(), scores.end(), random);
    const std::vector<double> best(labels.begin(), labels.end());
    for (const RankingMeasure& measure : ranking_measures()) {
      ASSERT_NE(measure.better, Better::neither) << measure.name;
      for (const std::size_t k : {1, 3, 10}) {
        const double of_best = measure.compute({best, labels}, k, Gain::exponential);
        const double of_any = measure.compute({scores, labels}, k, Gain::exponential);
        EXPECT_TRUE(std::isnan(of_any) || no_worse(of_best, of_any, measure.better))
            << measure.name << ": " << of_best << " of the best order, " << of_any;
      }
    }
  }
}

TEST(MeasureTest, ConfidentCorrectPredictionsAreBetterByEveryClickMeasureWithADirection) {
  ClickEvaluation good, bad;
  good.loss = 0.1;
  bad.loss = 0.7;
  bad.impossible_clicks = 1;
  for (const std::size_t rank : {0, 1, 1}) {
    add(good, rank, true, 0.9, 0.8);
    add(bad, rank, true, 0.4, 0.3);
  }
  const auto number = [](const ClickMeasure& measure, const ClickEvaluation& evaluation) {
    if (const auto* value = std::get_if<ClickMeasure::Number>(&measure.compute))
      return (*value)(evaluation);
    if (const auto* count = std::get_if<ClickMeasure::Count>(&measure.compute))
      return static_cast<double>((*count)(evaluation));
    return std::get<ClickMeasure::PerRank>(measure.compute)(evaluation).back();
  };
  for (const ClickMeasure& measure : click_measures()) {
    if (measure.better == Better::neither) continue;
    const double of_good = number(measure, good), of_bad = number(measure, bad);
    EXPECT_TRUE(measure.better == Better::higher ? of_good > of_bad : of_good < of_bad)
        << measure.name << ": " << of_good << " of good predictions, " << of_bad << " of bad ones";
  }
}

TEST(ClickEvaluationTest, ValuesCarryTheNamesOfFiles) {
  ClickEvaluation evaluation;
  evaluation.loss = 0.25;
  add(evaluation, 0, true, 0.5, 0.25);
  add(evaluation, 2, false, 0.75, 0.375);
  const std::vector<MetricValue> expected = {{"loss", 0.25},
                                             {"ll", (std::log(0.5) + std::log(0.25)) / 2},
                                             {"ppl", 1 / std::sqrt(0.25 * 0.625)},
                                             {"cond_ppl", 1 / std::sqrt(0.5 * 0.25)},
                                             {"ppl_rank_mean", (1 / 0.25 + 1 / 0.625) / 2},
                                             {"cond_ppl_rank_mean", (1 / 0.5 + 1 / 0.25) / 2}};
  const std::vector<MetricValue> values = evaluation.values();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].name, expected[i].name);
    EXPECT_DOUBLE_EQ(values[i].value, expected[i].value) << values[i].name;
  }
}

TEST(ClickEvaluationTest, SummariesShowFewerValuesThanFiles) {
  const ClickEvaluation evaluation;
  EXPECT_THAT(names_of(evaluation.values(Shown::summary)),
              ElementsAre("loss", "ll", "ppl", "cond_ppl"));
  EXPECT_THAT(names_of(evaluation.values(Shown::progress)), ElementsAre("loss", "ppl", "cond_ppl"));
}

TEST(ClickEvaluationTest, FilesNameTheMeasuresOfTheSummaryFirst) {
  const ClickMeasure::Number zero = [](const ClickEvaluation&) { return 0.; };
  const ClickMeasure::Count none = [](const ClickEvaluation&) { return std::uint64_t{0}; };
  const ClickMeasure table[] = {{{"a", "-", Better::higher}, zero},
                                {{"b", "-"}, none},
                                {{"c", "-", Better::higher, Shown::summary}, zero},
                                {{"d", "-", Better::higher, Shown::progress}, zero}};
  ClickEvaluation evaluation;
  evaluation.measures = table;
  EXPECT_THAT(names_of(evaluation.values()), ElementsAre("c", "d", "a"));
}

TEST(RankingMetricsTest, ATableDecidesWhatIsMeasured) {
  const RankingMeasure table[] = {
      {{"length", "documents", Better::neither, Shown::summary},
       [](const RankedLabels& list, std::size_t, Gain) {
         return static_cast<double>(list.labels().size());
       }},
      {{"cutoff@K", "the cut-off", Better::neither},
       [](const RankedLabels&, std::size_t k, Gain) { return static_cast<double>(k); }}};
  RankingMetrics metrics({.cutoffs = {4, 7}}, table);
  metrics.add(std::array{1., 2., 3.}, std::array{0, 1, 2});
  EXPECT_THAT(names_of(metrics.values()), ElementsAre("length", "cutoff@4", "cutoff@7"));
  EXPECT_EQ(metrics.value("length"), 3);
  EXPECT_EQ(metrics.value("cutoff@7"), 7);
  EXPECT_THAT(names_of(metrics.values(Shown::summary)), ElementsAre("length"));
  EXPECT_THROW(metrics.add(RankingMetrics({.cutoffs = {4, 7}})), Error);
}

}  // namespace
}  // namespace ultr::measures_test
