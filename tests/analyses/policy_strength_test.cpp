#include "analyses/policy_strength.h"

#include <cmath>

#include <gtest/gtest.h>

#include "analyses/temperature_log.h"

namespace ultr::policy_strength_test {
namespace {

using testing::temperature_data;

TEST(PolicyStrengthTest, TheLoggedOrderIsPerfect) {
  EXPECT_DOUBLE_EQ(logged_order_ndcg(std::vector<double>{3, 2, 1}), 1);
  const double second = 1 / std::log2(3.), third = 1 / std::log2(4.);
  EXPECT_DOUBLE_EQ(logged_order_ndcg(std::vector<double>{2, 3, 1}),
                   (1. / 2 + second + third / 3) / (1 + second / 2 + third / 3));
  EXPECT_DOUBLE_EQ(logged_order_ndcg(std::vector<double>(12, 0.)), 1) << "ties as they stand";
}

TEST(PolicyStrengthTest, TenPlacesHaveLabels) {
  EXPECT_EQ(label_of_place(0), 11 - 1);
  EXPECT_EQ(label_of_place(9), 11 - 10);
  EXPECT_EQ(label_of_place(10), 0);
  EXPECT_EQ(label_of_place(1000), 0);
}

TEST(PolicyStrengthTest, TheRandomValueIsTheMeanOverAllOrders) {
  std::vector<double> scores = {1, 2, 3, 4};
  double sum = 0;
  do sum += logged_order_ndcg(scores);
  while (std::next_permutation(scores.begin(), scores.end()));
  EXPECT_NEAR(random_order_ndcg(4), sum / 24, 1e-12);
  EXPECT_EQ(random_order_ndcg(1), 1);
  // Lists of ten documents, like most of Baidu-ULTR, for which de Haan and Hager report 0.705.
  EXPECT_NEAR(random_order_ndcg(10), 0.705, 0.01);
}

TEST(PolicyStrengthTest, PredictsAPolicyFromTheFeatureItSortsBy) {
  const ExperimentData data = temperature_data({.with_features = true, .queries = 400});
  const DocumentSample sample = sample_documents(data.dataset, 20000, 1);
  const PolicyStrength strength = policy_strength(data.dataset, sample, 1, 2).value();
  EXPECT_GT(strength.ndcg, 0.97);
  EXPECT_LE(strength.interval.lower, strength.ndcg);
  EXPECT_GE(strength.interval.upper, strength.ndcg);
  EXPECT_NEAR(strength.random_ndcg, random_order_ndcg(5), 1e-12);
  EXPECT_EQ(strength.queries, 400u);
  EXPECT_EQ(strength.lists, 4000u);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    sum += strength.scores[i];
    squares += strength.scores[i] * strength.scores[i];
  }
  EXPECT_NEAR(sum, 0, 1e-9);
  EXPECT_NEAR(squares, 5, 1e-9);
}

TEST(PolicyStrengthTest, RandomOrdersCannotBePredicted) {
  const ExperimentData data =
      temperature_data({.temperature = 1, .with_features = true, .sessions = 2000, .queries = 400});
  const DocumentSample sample = sample_documents(data.dataset, 20000, 1);
  const PolicyStrength strength = policy_strength(data.dataset, sample, 1, 1).value();
  EXPECT_NEAR(strength.ndcg, strength.random_ndcg, 0.02);
}

TEST(PolicyStrengthTest, ThreadsChangeNothing) {
  const ExperimentData data =
      temperature_data({.temperature = 0.5, .with_features = true, .sessions = 300});
  const DocumentSample sample = sample_documents(data.dataset, 20000, 1);
  const PolicyStrength one = policy_strength(data.dataset, sample, 1, 1).value();
  const PolicyStrength three = policy_strength(data.dataset, sample, 1, 3).value();
  EXPECT_EQ(one.ndcg, three.ndcg);
  EXPECT_EQ(one.scores, three.scores);
  EXPECT_EQ(one.interval.lower, three.interval.lower);
}

TEST(PolicyStrengthTest, OneQueryTellsNothing) {
  const ExperimentData one = temperature_data({.with_features = true, .sessions = 9, .queries = 1});
  EXPECT_FALSE(policy_strength(one.dataset, sample_documents(one.dataset, 100, 1), 1, 1));
  EXPECT_FALSE(policy_strength(one.dataset, {}, 1, 1)) << "no lists";
}

}  // namespace
}  // namespace ultr::policy_strength_test
