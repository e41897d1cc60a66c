#include "analyses/feature_overlap.h"

#include <cmath>

#include <gtest/gtest.h>

#include "analyses/temperature_log.h"

namespace ultr::feature_overlap_test {
namespace {

using testing::temperature_data;

FeatureOverlap overlap_of(const ExperimentData& data, int threads = 2) {
  return feature_overlap(data.dataset, sample_documents(data.dataset, 100000, 1), {0, 1, 2, 3, 4},
                         1, threads);
}

TEST(FeatureOverlapTest, RandomOrdersOverlapWhereSortedOnesGrowApart) {
  const FeatureOverlap random =
      overlap_of(temperature_data({.temperature = 1, .with_features = true, .queries = 400}));
  const FeatureOverlap sorted =
      overlap_of(temperature_data({.with_features = true, .queries = 400}));
  EXPECT_TRUE(std::isnan(sorted.from_first[0]) && std::isnan(sorted.from_rank_before[0]));
  for (std::size_t k = 1; k < 5; ++k) {
    EXPECT_NEAR(random.from_first[k], 0.5, 0.05) << k;
    EXPECT_GT(sorted.from_rank_before[k], 0.6) << k;
    if (k == 1) continue;
    EXPECT_GT(sorted.from_first[k], sorted.from_first[k - 1]) << k;
  }
  // The best and the worst of five normal numbers seldom overlap.
  EXPECT_GT(sorted.from_first[4], 0.95);
}

TEST(FeatureOverlapTest, TheHardestStepIsThatOfTheEasiestWay) {
  const FeatureOverlap sorted =
      overlap_of(temperature_data({.with_features = true, .queries = 400}));
  EXPECT_EQ(sorted.hardest_step[0], 0.5);
  double hardest = 0.5;
  for (std::size_t k = 1; k < 5; ++k) {
    hardest = std::max(hardest, sorted.from_rank_before[k]);
    EXPECT_EQ(sorted.hardest_step[k], hardest) << "over neighbours, which are alike";
  }
}

TEST(FeatureOverlapTest, ThreadsChangeNothing) {
  const ExperimentData data = temperature_data({.with_features = true, .sessions = 400});
  const FeatureOverlap one = overlap_of(data, 1), three = overlap_of(data, 3);
  for (std::size_t k = 1; k < 5; ++k) {
    EXPECT_EQ(one.from_first[k], three.from_first[k]);
    EXPECT_EQ(one.from_rank_before[k], three.from_rank_before[k]);
  }
}

TEST(FeatureOverlapTest, OneQueryComparesNothing) {
  const FeatureOverlap overlap =
      overlap_of(temperature_data({.with_features = true, .sessions = 40, .queries = 1}));
  for (std::size_t k = 1; k < 5; ++k) EXPECT_TRUE(std::isnan(overlap.hardest_step[k]));
}

}  // namespace
}  // namespace ultr::feature_overlap_test
