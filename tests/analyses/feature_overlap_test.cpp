#include "analyses/feature_overlap.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/device_log.h"

namespace ultr::feature_overlap_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
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

TEST(CombinationOverlapTest, StepsChangeOneDimensionAndMeasureOverlap) {
  // Two devices in random order show different documents: the first feature is relevance.
  ExperimentData data = testing::device_data(
      {.temperature = 1, .with_features = true, .queries = 400, .documents = 2},
      [](std::size_t s) { return static_cast<float>(s % 2); });
  const auto overlap_of_devices = [&](int threads) {
    return combination_overlap(data.dataset, sample_documents(data.dataset, 100000, 1),
                               bias_combinations(data, 10), 1, threads);
  };
  const CombinationOverlap overlap = overlap_of_devices(2);
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  for (const auto& step : overlap.steps) steps.emplace_back(step.a, step.b);
  EXPECT_THAT(steps, ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 3), Pair(2, 3)));
  for (const auto& step : overlap.steps) EXPECT_NEAR(step.area, 0.5, 0.06);
  EXPECT_EQ(overlap.hardest_step[0], 0.5);
  EXPECT_EQ(overlap.hardest_step[1],
            std::min(overlap.steps[0].area, std::max({overlap.steps[1].area, overlap.steps[2].area,
                                                      overlap.steps[3].area})));
  const CombinationOverlap same = overlap_of_devices(1);
  EXPECT_EQ(same.hardest_step, overlap.hardest_step);
}

TEST(CombinationOverlapTest, DevicesWithOtherDocumentsAreFarApart) {
  ExperimentData data = testing::device_data(
      {.temperature = 1, .with_features = true, .queries = 400, .documents = 2},
      [](std::size_t s) { return static_cast<float>(s % 2); });
  // Prices of device 1 are those of no document on device 0.
  std::vector<float> features(3);
  for (std::size_t d = 0; d < data.dataset.train.documents(); ++d) {
    const float device = static_cast<float>(d / 2 % 2);
    features.insert(features.end(), {100 * device + static_cast<float>(d % 7), 0, device});
  }
  data.dataset.train.set_features(FeatureTable(std::move(features), 3, 1));
  const CombinationOverlap overlap = combination_overlap(
      data.dataset, sample_documents(data.dataset, 100000, 1), bias_combinations(data, 10), 1, 2);
  EXPECT_LT(overlap.hardest_step[2], 0.6) << "the other rank of the same device";
  EXPECT_EQ(overlap.hardest_step[1], 1);
  EXPECT_EQ(overlap.hardest_step[3], 1);
}

TEST(FeatureOverlapTest, OneQueryComparesNothing) {
  const FeatureOverlap overlap =
      overlap_of(temperature_data({.with_features = true, .sessions = 40, .queries = 1}));
  for (std::size_t k = 1; k < 5; ++k) EXPECT_TRUE(std::isnan(overlap.hardest_step[k]));
}

}  // namespace
}  // namespace ultr::feature_overlap_test
