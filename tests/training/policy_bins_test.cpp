#include "training/policy_bins.h"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::policy_bins_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

/// Lists of two documents, the second of which is relevant.
struct Pairs {
  JudgedLists lists;
  std::vector<double> model, policy;

  void add(bool model_is_right, bool policy_is_right) {
    lists.add(std::array{1u, 2u}, std::array{0, 1});
    for (const auto& [scores, right] :
         {std::pair(&model, model_is_right), {&policy, policy_is_right}})
      scores->insert(scores->end(), {0., right ? 1. : -1.});
  }
};

/// nDCG of the wrong order of such a list.
const double wrong = 1 / std::log2(3.);

TEST(PolicyBinsTest, AreListsFromThoseThatThePolicyRanksWorst) {
  Pairs pairs;
  for (int i = 0; i < 6; ++i) pairs.add(true, i % 2 == 0);   // three right, three wrong
  for (int i = 0; i < 5; ++i) pairs.add(false, i % 2 == 0);  // three right, two wrong
  const PolicyBins bins = bin_by_policy(pairs.model, pairs.policy, pairs.lists, {.cutoffs = {1}});
  EXPECT_THAT(bins.lists, ElementsAre(2, 2, 2, 2, 3));
  // By the policy: three wrong lists of the first kind, two of the second; three and three right.
  EXPECT_THAT(bins.policy, ElementsAre(DoubleNear(wrong, 1e-12), DoubleNear(wrong, 1e-12),
                                       DoubleNear((wrong + 1) / 2, 1e-12), 1, 1));
  EXPECT_THAT(bins.model,
              ElementsAre(1, DoubleNear((1 + wrong) / 2, 1e-12), DoubleNear((wrong + 1) / 2, 1e-12),
                          1, DoubleNear(wrong, 1e-12)));
  for (const double random : bins.random) EXPECT_NEAR(random, (1 + wrong) / 2, 1e-12);
}

TEST(PolicyBinsTest, ListsThatDoNotCountAreInNoBin) {
  Pairs pairs;
  pairs.add(true, true);
  pairs.lists.add(std::array{1u, 2u}, std::array{0, 0});  // nothing relevant
  for (std::vector<double>* scores : {&pairs.model, &pairs.policy})
    scores->insert(scores->end(), {0., 0.});
  const RankingOptions skip{.without_relevant = WithoutRelevant::skip};
  EXPECT_THAT(bin_by_policy(pairs.model, pairs.policy, pairs.lists, skip).policy, ElementsAre(1));
  EXPECT_THAT(bin_by_policy(pairs.model, pairs.policy, pairs.lists, {}).policy, ElementsAre(0, 1));
  EXPECT_THAT(bin_by_policy({}, {}, {}, {}).lists, ElementsAre());
}

}  // namespace
}  // namespace ultr::policy_bins_test
