#include "training/ranking_evaluation.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "models/model_fixture.h"

namespace ultr::ranking_evaluation_test {
namespace {

TEST(RankingEvaluationTest, RanksJudgedListsByRelevance) {
  // The first list is ranked 2, 0, 1: labels 1, 0, 2.
  const TrainableModel model = testing::build_model("pbm", {.rows = 3, .positions = 3});
  testing::parameter_called(model, "attraction").assign(std::array{0.0f, -0.8f, 0.4f});
  JudgedLists lists;
  lists.add(std::array{1u, 0u, 2u}, std::array{2, 0, 1});
  lists.add(std::array{2u, 1u}, std::array{0, 0});  // nothing relevant
  const RankingMetrics metrics = evaluate_ranking(model, lists, {.cutoffs = {3}}, 1);
  EXPECT_EQ(metrics.lists(), 2u);
  EXPECT_EQ(metrics.lists_without_relevant(), 1u);
  const double dcg = 1 / std::log2(2.) + 3 / std::log2(4.);
  const double ideal = 3 / std::log2(2.) + 1 / std::log2(3.);
  EXPECT_NEAR(metrics.value("ndcg@3"), (dcg / ideal + 0) / 2, 1e-12);
  EXPECT_NEAR(metrics.value("arp"), (1 * 1 + 2 * 3) / 3., 1e-12);
}

TEST(RankAgreementTest, IsTheMeanOverListsThatBothOrder) {
  JudgedLists lists;
  lists.add(std::array{1u, 2u}, std::array{0, 1});
  lists.add(std::array{1u, 2u, 3u}, std::array{0, 1, 0});
  lists.add(std::array{1u, 2u}, std::array{0, 1});
  // One of the three pairs of the second list is swapped. In the third list the second scoring is
  // tied.
  const RankAgreement agreement = rank_agreement(std::array{1., 2., 5., 4., 3., 0., 1.},
                                                 std::array{3., 7., 9., 1., 5., 2., 2.}, lists);
  EXPECT_EQ(agreement.lists, 2u);
  EXPECT_DOUBLE_EQ(agreement.kendall_tau, (1 + 1. / 3) / 2);
  EXPECT_TRUE(std::isnan(rank_agreement({}, {}, {}).kendall_tau));
}

}  // namespace
}  // namespace ultr::ranking_evaluation_test
