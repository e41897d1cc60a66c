#include "data/features/boosted_trees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace ultr::boosted_trees_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Documents with label 1 if their feature is above 4, else 0.
const std::vector<float> features = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
const std::vector<float> labels = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};

BoostedTrees grown(std::int64_t trees, std::span<const float> targets = labels,
                   std::size_t width = 1, const char* objective = "binary:logistic") {
  return {{.features = features, .feature_count = width, .labels = targets},
          trees,
          {{"objective", objective}, {"min_child_weight", "0"}},
          1};
}

TEST(BoostedTreesTest, ScoresAreLogitsThatMoreTreesSharpen) {
  const BoostedTrees trees = grown(8);
  EXPECT_EQ(trees.trees(), 8);
  EXPECT_EQ(trees.features(), 1u);
  const std::vector<double> all = trees.score(features), few = trees.score(features, 2);
  for (std::size_t i = 0; i < features.size(); ++i) {
    EXPECT_EQ(all[i] > 0, labels[i] > 0) << i;
    EXPECT_GT(std::abs(all[i]), std::abs(few[i])) << i;
  }
}

TEST(BoostedTreesTest, CopiesShareTheTreesAndTheSameSeedGrowsThemAgain) {
  const BoostedTrees trees = grown(3), copy = trees;
  EXPECT_EQ(copy.score(features), trees.score(features));
  EXPECT_EQ(grown(3).score(features), trees.score(features));
}

TEST(BoostedTreesTest, RejectsMismatchedInput) {
  EXPECT_THAT([] { grown(1, std::span(labels).first(9)); },
              ThrowsMessage<Error>(HasSubstr("10 rows of features and 9 labels")));
  EXPECT_THAT([] { grown(1, labels, 3); },
              ThrowsMessage<Error>(HasSubstr("10 numbers do not fill rows of 3")));
  EXPECT_THAT([] { grown(1, labels, 1, "magic"); }, ThrowsMessage<Error>(HasSubstr("XGBoost: ")));
  EXPECT_THAT([] { grown(1).score(features, 2); },
              ThrowsMessage<Error>(HasSubstr("asked for 2 trees; expected 1 to 1")));
}

}  // namespace
}  // namespace ultr::boosted_trees_test
