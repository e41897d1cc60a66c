#include "analyses/bias_combinations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/device_log.h"
#include "base/error.h"
#include "data/features/feature_lists_builder.h"

namespace ultr::bias_combinations_test {
namespace {

using testing::device_data;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// 12 sessions of two documents each.
ExperimentData small_data(const std::function<float(std::size_t session)>& device) {
  return device_data({.with_features = true, .sessions = 12, .queries = 3, .documents = 2}, device);
}

std::vector<std::string> names_of(const BiasCombinations& combinations) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < combinations.all.size(); ++i) names.push_back(combinations.name(i));
  return names;
}

TEST(BiasCombinationsTest, EachValueOfAFeatureIsItsOwnIfThereAreFew) {
  const auto found =
      bias_combinations(small_data([](std::size_t s) { return s % 2 == 0 ? 7.f : 2.5f; }), 2);
  EXPECT_EQ(found.dimensions(), "rank and device");
  EXPECT_THAT(names_of(found), ElementsAre("rank 1, device = 2.5", "rank 1, device = 7",
                                           "rank 2, device = 2.5", "rank 2, device = 7"));
  EXPECT_EQ(found.places.count, 4u);
  EXPECT_THAT(std::vector(found.places.of_documents.begin(), found.places.of_documents.begin() + 4),
              ElementsAre(1, 3, 0, 2));
}

TEST(BiasCombinationsTest, ManyValuesAreGroupedByTheirImpressions) {
  // Half of the sessions have the value 0, the others 6 to 11.
  const auto found = bias_combinations(
      small_data([](std::size_t s) { return s < 6 ? 0.f : static_cast<float>(s); }), 4);
  EXPECT_THAT(names_of(found), ElementsAre("rank 1, device = 0", "rank 1, device = 6 to 7",
                                           "rank 1, device = 8 to 9", "rank 1, device = 10 to 11",
                                           "rank 2, device = 0", "rank 2, device = 6 to 7",
                                           "rank 2, device = 8 to 9", "rank 2, device = 10 to 11"));
  EXPECT_THAT(names_of(bias_combinations(
                  small_data([](std::size_t s) { return static_cast<float>(s); }), 1)),
              ElementsAre("rank 1, device = 0 to 11", "rank 2, device = 0 to 11"));
}

TEST(BiasCombinationsTest, OnlyCombinationsThatAreShownCount) {
  // Device 1 shows second documents alone.
  ExperimentData data = small_data([](std::size_t) { return 0.f; });
  std::vector<float> features(3);
  for (std::size_t document = 0; document < 24; ++document)
    features.insert(features.end(), {0, 0, static_cast<float>(document % 2)});
  data.dataset.train.set_features(FeatureTable(std::move(features), 3, 1));
  EXPECT_THAT(names_of(bias_combinations(data, 10)),
              ElementsAre("rank 1, device = 0", "rank 2, device = 1"));
}

TEST(BiasCombinationsTest, NamesHaveNumbersAsTheyWereBeforeScaling) {
  ExperimentData data = small_data([](std::size_t s) { return s % 2 == 0 ? -1.f : 1.f; });
  FeatureListsBuilder training;
  training.start_list(1);
  for (const float device : {3.f, 5.f}) training.add({.label = 0}, 3)[2] = device;
  FeatureScalingOptions options;
  options.standardise = true;
  data.scaling = FeatureScaling(training.build(), options);  // mean 4, deviation 1
  data.feature_names.clear();
  EXPECT_THAT(names_of(bias_combinations(data, 10)),
              ElementsAre("rank 1, feature 3 = 3", "rank 1, feature 3 = 5", "rank 2, feature 3 = 3",
                          "rank 2, feature 3 = 5"));
}

TEST(BiasCombinationsTest, RefusesMoreThanCanBeCompared) {
  const ExperimentData data =
      device_data({.with_features = true, .sessions = 1001, .queries = 3, .documents = 2},
                  [](std::size_t s) { return static_cast<float>(s); });
  EXPECT_EQ(bias_combinations(data, 1000).all.size(), most_combinations);
  EXPECT_THAT(
      [&] { bias_combinations(data, 1001); },
      ThrowsMessage<ConfigError>(HasSubstr("more than 2000 combinations of rank and bias")));
}

}  // namespace
}  // namespace ultr::bias_combinations_test
