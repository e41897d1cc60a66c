#include "runs/pair_relevance.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/small_log.h"

namespace ultr::pair_relevance_test {
namespace {

using ::testing::HasSubstr;

TEST(CountPairsTest, CountsImpressionsClicksAndPositions) {
  SessionLog log;
  const std::vector<std::uint32_t> rows = {1, 3};
  const std::vector<std::uint16_t> close = {0, 1}, far = {1, 4};
  log.add({.rows = rows, .positions = close, .clicks = std::vector<std::uint8_t>{1, 0}});
  log.add({.rows = rows, .positions = far, .clicks = std::vector<std::uint8_t>{1, 1}});
  const std::vector<PairCounts> counts = count_pairs(log, 4);
  ASSERT_EQ(counts.size(), 4u);
  EXPECT_EQ(counts[1].impressions, 2);
  EXPECT_EQ(counts[1].clicks, 2);
  EXPECT_EQ(counts[1].mean_position, 1.5);
  EXPECT_EQ(counts[3].clicks, 1);
  EXPECT_EQ(counts[3].mean_position, 3.5);
  EXPECT_EQ(counts[2].impressions, 0);
  EXPECT_TRUE(std::isnan(counts[2].mean_position));
}

TEST(CountPairsTest, ListsCountByTheirWeights) {
  constexpr std::uint32_t row = 1;
  SessionLog log;
  for (const auto& [position, click, weight] :
       {std::tuple(std::uint16_t{0}, std::uint8_t{1}, 3.), {std::uint16_t{4}, std::uint8_t{0}, 1.}})
    log.add(
        {.rows = {&row, 1}, .positions = {&position, 1}, .clicks = {&click, 1}, .weight = weight});
  const PairCounts counts = count_pairs(log, 2)[1];
  EXPECT_EQ(counts.impressions, 4);
  EXPECT_EQ(counts.clicks, 3);
  EXPECT_EQ(counts.mean_position, 2);
}

class PairRelevanceTest : public ::testing::Test {
 protected:
  ExperimentData data_ = testing::simulate("{sessions: 300, queries: 4, positions: 5}");
};

TEST_F(PairRelevanceTest, HasARowPerPairInTheOrderOfTheDictionary) {
  const Dataset& dataset = data_.dataset;
  const TrainableModel model = testing::model_for("pbm", dataset);
  const PairRelevances all =
      pair_relevance(model, dataset.dictionary, dataset.train, {.threads = 2});
  ASSERT_EQ(all.pairs.size() + 1, static_cast<std::size_t>(dataset.dictionary.rows()));
  EXPECT_EQ(all.no_intervals, "");
  const std::vector<PairCounts> counts = count_pairs(dataset.train, all.pairs.size() + 1);
  for (std::size_t i = 0; i < all.pairs.size(); ++i) {
    const PairRelevance& pair = all.pairs[i];
    EXPECT_EQ(dataset.dictionary.find(pair.query, pair.document), i + 1);
    EXPECT_EQ(pair.estimate.impressions, counts[i + 1].impressions);
    EXPECT_EQ(pair.clicks, counts[i + 1].clicks);
    EXPECT_LE(pair.estimate.lower, pair.estimate.relevance);
    EXPECT_GE(pair.estimate.upper, pair.estimate.relevance);
  }
  const std::vector<RelevanceEstimate> estimates = relevance_estimates(all.pairs);
  ASSERT_EQ(estimates.size(), all.pairs.size());
  EXPECT_EQ(estimates[3].upper, all.pairs[3].estimate.upper);
}

TEST_F(PairRelevanceTest, IntervalsCanBeLeftOut) {
  const Dataset& dataset = data_.dataset;
  const TrainableModel model = testing::model_for("pbm", dataset);
  const PairRelevances without =
      pair_relevance(model, dataset.dictionary, dataset.train, {.threads = 2, .intervals = false});
  EXPECT_TRUE(std::isnan(without.pairs[0].estimate.lower));
  EXPECT_TRUE(without.position_bias_intervals.empty());
}

TEST_F(PairRelevanceTest, RefusesModelsThatDoNotTellPairsApart) {
  const Dataset& dataset = data_.dataset;
  const TrainableModel model = testing::model_for("rctr", dataset);
  EXPECT_THAT(
      testing::data_message([&] { pair_relevance(model, dataset.dictionary, dataset.train, {}); }),
      HasSubstr("the model does not tell single query-document pairs apart"));
}

}  // namespace
}  // namespace ultr::pair_relevance_test
