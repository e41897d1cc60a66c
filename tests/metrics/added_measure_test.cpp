/// The example of docs/cookbook/metric.md, which shows parts of this file.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/metrics.h"

namespace ultr::added_measure_test {
namespace {

/// Rank-biased precision (Moffat and Zobel, TOIS 2008): the share of relevant documents among those
/// that a user reads who goes on to the next rank with probability 0.8. 0 to 1.
double rank_biased_precision(const RankedLabels& list, std::size_t k, Gain) {
  constexpr double persistence = 0.8;
  double sum = 0, reads = 1;  // the probability that the user reads this rank
  for (const int label : list.labels().first(std::min(k, list.labels().size()))) {
    if (label > 0) sum += reads;
    reads *= persistence;
  }
  return (1 - persistence) * sum;
}

/// Expected calibration error: how far click rates are from predicted probabilities, over the
/// documents of all bins. 0 to 1.
double calibration_error(const ClickEvaluation& evaluation) {
  double sum = 0;
  for (const CalibrationBin& bin : evaluation.calibration.bins())
    if (bin.documents > 0)
      sum += static_cast<double>(bin.documents) * std::abs(bin.click_rate - bin.mean_prediction);
  return sum / static_cast<double>(evaluation.conditional.documents());
}

constexpr RankingMeasure ranking_table[] = {
    {{"rbp@K", "rank-biased precision of the first K, persistence 0.8", Better::higher},
     rank_biased_precision},
};

constexpr ClickMeasure click_table[] = {
    {{"calibration_error", "mean distance of click rate and prediction, by bin", Better::lower},
     calibration_error},
};

TEST(RankBiasedPrecisionTest, WeighsRelevantRanksByTheChanceThatTheyAreRead) {
  RankingMetrics metrics({.cutoffs = {1, 3}}, ranking_table);
  metrics.add(std::array{3., 2., 1., 0.}, std::array{0, 2, 1, 1});
  EXPECT_DOUBLE_EQ(metrics.value("rbp@1"), 0);
  EXPECT_DOUBLE_EQ(metrics.value("rbp@3"), 0.2 * (0.8 + 0.64));
}

TEST(CalibrationErrorTest, IsTheDistanceOfClickRateAndPrediction) {
  ClickEvaluation evaluation;
  evaluation.measures = click_table;
  for (const bool clicked : {true, false, false, false}) {
    evaluation.conditional.add(0, clicked, std::log(0.5), std::log(0.5));
    evaluation.calibration.add(clicked, std::log(0.5));
  }
  EXPECT_DOUBLE_EQ(evaluation.values().at(0).value, 0.5 - 0.25);
}

/// Reads the lines of a file without their indentation.
std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(std::string(ULTR_SOURCE_DIR) + "/" + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
  return lines;
}

TEST(MetricPageTest, ShowsTheCodeThatThisFileCompiles) {
  const std::vector<std::string> source = lines_of("tests/metrics/added_measure_test.cpp");
  std::vector<std::string> block;
  std::size_t blocks = 0;
  bool inside = false;
  for (const std::string& line : lines_of("docs/cookbook/metric.md")) {
    if (inside && line == "```") {
      EXPECT_NE(std::search(source.begin(), source.end(), block.begin(), block.end()), source.end())
          << "no such lines: " << ::testing::PrintToString(block);
      ++blocks;
    } else if (inside) {
      block.push_back(line);
      continue;
    }
    block.clear();
    inside = line == "```cpp";
  }
  EXPECT_EQ(blocks, 5u);
}

}  // namespace
}  // namespace ultr::added_measure_test
