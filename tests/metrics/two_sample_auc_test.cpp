#include "metrics/two_sample_auc.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace ultr::two_sample_auc_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Returns a sample of three features, of which the middle one is normal around `mean`.
FeatureSample normals(std::uint64_t number, double mean, std::uint64_t rows = 2000) {
  FeatureSample sample;
  for (std::uint64_t i = 0; i < rows; ++i) {
    RandomStream random(number, RandomPurpose::testing, 0, i);
    for (const double shift : {0., mean, 0.})
      sample.features.push_back(static_cast<float>(shift + random.normal()));
    sample.groups.push_back(i);
  }
  return sample;
}

TEST(TwoSampleAucTest, AnAreaIsTheShareOfPairsInOrder) {
  EXPECT_DOUBLE_EQ(roc_area(std::vector<double>{1, 3}, std::vector<double>{2, 3, 4}),
                   (1 + 1 + 1 + 0 + 0.5 + 1) / 6);
  EXPECT_EQ(roc_area(std::vector<double>{1}, std::vector<double>{2}), 1);
  EXPECT_TRUE(std::isnan(roc_area({}, std::vector<double>{2})));
}

TEST(TwoSampleAucTest, OneDistributionCannotBeToldApart) {
  // The standard error of an area of 0.5 with n rows in each sample is sqrt(1 / (6 n)).
  EXPECT_NEAR(two_sample_auc(normals(1, 0), normals(2, 0), 3, 1).value(), 0.5,
              4 * std::sqrt(1 / (6. * 2000)));
}

TEST(TwoSampleAucTest, ShiftedNormalsHaveAboutTheirArea) {
  // The best classifier reaches Φ(1.28 √2 / √2) = 0.9; trees lose a little.
  const double area =
      two_sample_auc(normals(1, 0), normals(2, 1.2816 * std::sqrt(2.)), 3, 1).value();
  EXPECT_GT(area, 0.88);
  EXPECT_LT(area, 0.91);
  EXPECT_GT(two_sample_auc(normals(1, 0), normals(2, 20), 3, 1).value(), 0.999);
}

TEST(TwoSampleAucTest, SeesDifferencesThatNoLineSeparates) {
  FeatureSample inner, outer;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    RandomStream random(1, RandomPurpose::testing, 0, i);
    const auto inside = static_cast<float>(random.uniform() - 0.5);
    inner.features.push_back(inside);
    outer.features.push_back(inside < 0 ? inside - 1 : inside + 1);
    inner.groups.push_back(i);
    outer.groups.push_back(i);
  }
  EXPECT_GT(two_sample_auc(inner, outer, 1, 1).value(), 0.99);
}

TEST(TwoSampleAucTest, GroupsAreHeldOutWhole) {
  // Features separate the samples only through their groups, so a fold that split groups would
  // profit.
  FeatureSample first, second;
  for (std::uint64_t group = 0; group < 200; ++group)
    for (int repeat = 0; repeat < 10; ++repeat) {
      RandomStream random(1, RandomPurpose::testing, 0, group);
      FeatureSample& sample = random.uniform() < 0.5 ? first : second;
      sample.features.push_back(static_cast<float>(random.uniform()));
      sample.groups.push_back(group);
    }
  EXPECT_NEAR(two_sample_auc(first, second, 1, 1).value(), 0.5, 4 * std::sqrt(1 / (6. * 100)));
}

TEST(TwoSampleAucTest, TheSameSeedGivesTheSameArea) {
  const FeatureSample first = normals(1, 0, 300), second = normals(2, 0.5, 300);
  EXPECT_EQ(two_sample_auc(first, second, 3, 1), two_sample_auc(first, second, 3, 1));
  EXPECT_NE(two_sample_auc(first, second, 3, 1), two_sample_auc(first, second, 3, 2));
}

TEST(TwoSampleAucTest, OneGroupTellsNothing) {
  FeatureSample first = normals(1, 0, 20), second = normals(2, 5, 20);
  first.groups.assign(20, 7);
  second.groups.assign(20, 7);
  EXPECT_FALSE(two_sample_auc(first, second, 3, 1));
  EXPECT_FALSE(two_sample_auc(first, {}, 3, 1));
}

TEST(TwoSampleAucTest, RefusesRowsThatAreNotWhole) {
  EXPECT_THAT([] { two_sample_auc(normals(1, 0, 10), normals(2, 0, 10), 2, 1); },
              ThrowsMessage<Error>(HasSubstr("30 numbers and 10 groups; expected 2 per group")));
}

}  // namespace
}  // namespace ultr::two_sample_auc_test
