#include "data/features/feature_scaling.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/npy.h"
#include "base/random.h"
#include "data/features/feature_lists_builder.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::feature_scaling_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;
using testing::TemporaryFolder;

constexpr float largest = std::numeric_limits<float>::max();

/// One list of documents with the given features.
FeatureLists lists(const std::vector<std::vector<float>>& rows) {
  FeatureListsBuilder builder;
  builder.start_list(1);
  for (const auto& row : rows)
    std::copy(row.begin(), row.end(), builder.add({.label = 1}, row.size()).begin());
  return builder.build();
}

std::vector<float> scaled(const FeatureLists& train, const FeatureLists& other, bool log1p,
                          bool standardise, double sentinel = 1e30) {
  FeatureScalingOptions options;
  options.log1p = log1p;
  options.standardise = standardise;
  options.sentinel = sentinel;
  const FeatureLists result = FeatureScaling(train, options).apply(other);
  return {result.columns().features.begin(), result.columns().features.end()};
}

TEST(FeatureScalingTest, LeavesProperNumbersAloneByDefault) {
  const FeatureLists train = lists({{1, -2}, {3, 4e20f}});
  EXPECT_THAT(scaled(train, train, false, false), ElementsAre(1, -2, 3, 4e20f));
}

TEST(FeatureScalingTest, SentinelsBecomeTheLargestOrSmallestProperTrainingValue) {
  const FeatureLists train = lists({{1, largest, -5}, {largest, -largest, -7}, {3, largest, 2}});
  EXPECT_THAT(scaled(train, train, false, false), ElementsAre(1, 0, -5, 3, 0, -7, 3, 0, 2))
      << "0 where training has no other value";
  const FeatureLists test = lists({{-largest, 8, largest}, {100, 9, -largest}});
  EXPECT_THAT(scaled(train, test, false, false), ElementsAre(1, 8, 2, 100, 9, -7))
      << "proper numbers may lie outside the training values";
  EXPECT_THAT(scaled(train, test, false, false, 100), ElementsAre(1, 8, 2, 3, 9, -7))
      << "100 is at least the sentinel";
}

TEST(FeatureScalingTest, Log1pKeepsTheSign) {
  const FeatureLists train = lists({{0, 1}, {-2, 1e6f}});
  EXPECT_THAT(scaled(train, train, true, false),
              ElementsAre(0, std::log(2.f), -std::log(3.f), static_cast<float>(std::log(1e6 + 1))));
}

TEST(FeatureScalingTest, StandardisesByTheTrainingDocumentsAlone) {
  const FeatureLists train = lists({{1, 5}, {2, 5}, {6, 5}});
  const float deviation = std::sqrt((4.f + 1 + 9) / 3);
  const auto is = [](float x) { return ::testing::FloatEq(x); };
  EXPECT_THAT(scaled(train, train, false, true),
              ElementsAre(is(-2 / deviation), 0, is(-1 / deviation), 0, is(3 / deviation), 0))
      << "a constant feature is only centred";
  EXPECT_THAT(scaled(train, lists({{3, 7}, {13, 4}}), false, true),
              ElementsAre(0, 2, is(10 / deviation), -1));
}

TEST(FeatureScalingTest, UndoReturnsWhatWasScaled) {
  std::vector<float> column = {0, -20, 3.5f, 1000, 0.1f, 54.4229f};
  const FeatureLists train =
      lists({{0, 5}, {-20, 5}, {3.5f, 5}, {1000, 5}, {0.1f, 5}, {54.4229f, 5}});
  for (int x = -20; x < 1000; ++x) column.push_back(static_cast<float>(x));
  for (const bool log1p : {false, true})
    for (const bool standardise : {false, true}) {
      FeatureScalingOptions options;
      options.log1p = log1p;
      options.standardise = standardise;
      const FeatureScaling scaling(train, options);
      for (const float x : column)
        EXPECT_EQ(static_cast<float>(scaling.undo(scaling.apply(x, 0), 0)), x)
            << log1p << standardise;
      EXPECT_EQ(scaling.undo(scaling.apply(0.1f, 0), 0), 0.1) << "with one decimal place";
      EXPECT_EQ(scaling.undo(scaling.apply(5, 1), 1), 5) << "a constant feature";
      EXPECT_EQ(scaling.undo(scaling.apply(0, 0), 0), 0) << "not some number near it";
    }
}

TEST(FeatureScalingTest, StandardisesAfterLog1p) {
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 500; ++i) {
    const double x = random.uniform();
    rows.push_back(
        {static_cast<float>(std::exp(20 * x)), i == 7 ? largest : static_cast<float>(-x)});
  }
  const std::vector<float> values = scaled(lists(rows), lists(rows), true, true);
  for (std::size_t feature = 0; feature < 2; ++feature) {
    double sum = 0, squares = 0;
    for (std::size_t i = feature; i < values.size(); i += 2) {
      sum += values[i];
      squares += std::pow(values[i], 2.);
    }
    EXPECT_NEAR(sum / 500, 0, 1e-5);
    EXPECT_NEAR(squares / 500, 1, 1e-5);
  }
}

TEST(FeatureScalingTest, ConstantFeaturesFarFromZeroAreOnlyCentred) {
  const float value = 1e7f + 1;
  const FeatureLists train = lists(std::vector<std::vector<float>>(1001, {value, 0.1f}));
  for (const float x : scaled(train, train, false, true)) EXPECT_NEAR(x, 0, 1e-6);
}

TEST(FeatureScalingTest, KeepsAllOtherColumns) {
  const FeatureLists train = lists({{1}, {2}});
  const FeatureLists result = FeatureScaling(train, {}).apply(train);
  EXPECT_THAT(result[0].labels, ElementsAre(1, 1));
  EXPECT_EQ(result[0].query, 1u);
}

TEST(FeatureScalingTest, RejectsOtherNumbersOfFeatures) {
  const FeatureScaling scaling(lists({{1, 2}}), {});
  EXPECT_EQ(data_message([&] { scaling.apply(lists({{1}})); }),
            "1 features; expected 2, on which the scaling was fitted");
  std::vector<float> row(3);
  EXPECT_EQ(data_message([&] { scaling.apply(row); }), "3 values do not fill rows of 2 features");
}

TEST(FeatureScalingTest, LoadsSavedFiles) {
  const TemporaryFolder folder;
  FeatureScalingOptions options;
  options.log1p = options.standardise = true;
  const FeatureLists train = lists({{1, largest, -5}, {largest, -largest, -7}, {3, 0.3f, 2}});
  const FeatureScaling scaling(train, options);
  scaling.save(folder.path() / "scaling.npy");
  const FeatureScaling loaded = FeatureScaling::load(folder.path() / "scaling.npy", options);
  EXPECT_EQ(loaded.features(), 3u);
  EXPECT_THAT(loaded.apply(train).columns().features,
              ::testing::ElementsAreArray(scaling.apply(train).columns().features.values()));

  const std::string file = folder.path() / "other.npy";
  const std::string message =
      file + ": is not a feature scaling; expected a matrix of 4 columns of finite numbers";
  write_npy(file, std::vector<double>(6), 3);
  EXPECT_EQ(data_message([&] { FeatureScaling::load(file, options); }), message);
  write_npy(file, std::vector<double>(4));
  EXPECT_EQ(data_message([&] { FeatureScaling::load(file, options); }), message);
  write_npy(file, std::vector<double>{0, 1, std::nan(""), 1}, 4);
  EXPECT_EQ(data_message([&] { FeatureScaling::load(file, options); }), message);
}

TEST(FeatureScalingTest, MissingValuesAndSentinelsMayStayMissing) {
  const float none = std::nanf("");
  FeatureListsBuilder builder;
  builder.allow_missing(none);
  builder.start_list(1);
  for (const std::vector<float>& row :
       {std::vector<float>{1, none, largest}, {3, 4, -largest}, {none, 6, 8}})
    std::copy(row.begin(), row.end(), builder.add({.label = 1}, row.size()).begin());
  const FeatureLists train = builder.build();
  FeatureScalingOptions options;
  options.missing = "keep";
  options.standardise = true;
  const FeatureScaling scaling(train, options);
  EXPECT_TRUE(scaling.keeps_missing());
  EXPECT_EQ(scaling.statistics()[0].mean, 2);
  EXPECT_EQ(scaling.statistics()[0].deviation, 1);
  EXPECT_EQ(scaling.statistics()[1].mean, 5) << "of those that are there";
  EXPECT_EQ(scaling.statistics()[2].mean, 8);
  const FeatureLists result = scaling.apply(train);
  const auto values = result.columns().features.values();
  const std::vector<float> expected = {-1, none, none, 1, -1, none, none, 1, 0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(values[i])) << i;
    else
      EXPECT_EQ(values[i], expected[i]) << i;
}

}  // namespace
}  // namespace ultr::feature_scaling_test
