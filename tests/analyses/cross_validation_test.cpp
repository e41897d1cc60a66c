#include "analyses/cross_validation.h"

#include <array>

#include <gtest/gtest.h>

#include "base/random.h"
#include "metrics/ranking_metrics.h"
#include "testing/errors.h"
#include "training/ranking_evaluation.h"

namespace ultr::cross_validation_test {
namespace {

constexpr std::size_t documents = 10;

/// Queries with two judged lists of the same ten documents of two features. The first feature is
/// the label, or nothing is.
Dataset judged_data(bool of_features, std::uint64_t queries = 60) {
  Dataset dataset;
  std::vector<float> features(2);  // row 0
  std::uint32_t row = 0;
  for (std::uint64_t query = 0; query < queries; ++query) {
    std::vector<std::uint32_t> rows;
    std::vector<int> labels;
    for (std::uint64_t k = 0; k < documents; ++k) {
      RandomStream random(1, RandomPurpose::testing, 3, row);
      rows.push_back(++row);
      labels.push_back(static_cast<int>(random.below(3)));
      features.push_back(of_features ? static_cast<float>(labels.back())
                                     : static_cast<float>(random.normal()));
      features.push_back(static_cast<float>(random.normal()));
    }
    for (int list = 0; list < 2; ++list) dataset.labels.add(rows, labels, query);
  }
  dataset.features = FeatureTable(std::move(features), 2);
  return dataset;
}

LambdaMartOptions small_trees() {
  LambdaMartOptions trees;
  trees.trees = 20;
  return trees;
}

double ndcg_of(const Dataset& dataset, std::uint64_t folds = 5) {
  const CrossValidation found = cross_validate(dataset, small_trees(), folds, 1, 1);
  return evaluate_scores(found.scores, dataset.labels, {}).value("ndcg@10");
}

TEST(CrossValidationTest, RanksListsByWhatOthersTeach) {
  EXPECT_GT(ndcg_of(judged_data(true)), 0.99);
  // Trees that had seen the other list of a query would know its labels by heart.
  EXPECT_LT(ndcg_of(judged_data(false)), 0.75) << "0.70 is chance";
}

TEST(CrossValidationTest, HasTreesForEachFoldAndCountsJudgements) {
  Dataset dataset = judged_data(true);
  dataset.labels.add(std::array{1u, 2u, 3u}, std::array{unjudged, 1, 0}, 1000);
  const CrossValidation found = cross_validate(dataset, small_trees(), 3, 1, 1);
  EXPECT_EQ(found.trees.size(), 3u);
  EXPECT_EQ(found.lists, 121u);
  EXPECT_EQ(found.documents, 120 * documents + 2);
  EXPECT_EQ(found.scores.size(), 120 * documents + 3) << "documents without judgement, too";
  dataset.labels.add(std::array{1u}, std::array{unjudged}, 1001);
  EXPECT_EQ(cross_validate(dataset, small_trees(), 3, 1, 1).lists, 121u);
}

TEST(CrossValidationTest, ThreadsChangeNothing) {
  const Dataset dataset = judged_data(false);
  EXPECT_EQ(cross_validate(dataset, small_trees(), 5, 1, 1).scores,
            cross_validate(dataset, small_trees(), 5, 1, 3).scores);
}

TEST(CrossValidationTest, OneQueryCannotBeDivided) {
  EXPECT_EQ(testing::data_message([] { ndcg_of(judged_data(true, 1)); }),
            "all 2 judged lists are in one of 5 folds; expected more queries, so that the lists of "
            "each fold are ranked by trees that learned from others");
}

}  // namespace
}  // namespace ultr::cross_validation_test
