#include "data/simulation/simulated_relevance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "data/features/feature_lists_builder.h"
#include "options/read.h"
#include "testing/errors.h"

namespace ultr::simulated_relevance_test {
namespace {

using testing::data_message;
using ::testing::ElementsAre;

/// Returns one list with one document per row.
FeatureLists documents(const std::vector<std::vector<float>>& rows) {
  FeatureListsBuilder builder(rows.front().size());
  builder.start_list(1);
  for (const auto& row : rows) std::copy(row.begin(), row.end(), builder.add({}).begin());
  return builder.build();
}

/// Returns the same where features may be missing.
FeatureLists documents_with_gaps(const std::vector<std::vector<float>>& rows) {
  FeatureListsBuilder builder(rows.front().size());
  builder.allow_missing(0);
  builder.start_list(1);
  for (const auto& row : rows) std::copy(row.begin(), row.end(), builder.add({}).begin());
  return builder.build();
}

/// Returns one list of `count` documents with standard normal features.
FeatureLists random_documents(std::size_t count, std::size_t features, std::uint64_t index = 0) {
  RandomStream random(1, RandomPurpose::testing, 0, index);
  std::vector<std::vector<float>> rows(count, std::vector<float>(features));
  for (auto& row : rows)
    for (float& x : row) x = static_cast<float>(random.normal());
  return documents(rows);
}

std::vector<std::uint32_t> rows_from(std::uint32_t first, const FeatureLists& lists) {
  std::vector<std::uint32_t> rows(lists.documents());
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

SimulatedRelevance fit(const std::string& type, const FeatureLists& train,
                       const std::string& options = "{}", std::uint64_t seed = 1) {
  const Choice choice(simulated_relevance_types(), type);
  read_options(parse_config(options, "options"), *choice.options);
  return choice.as<SimulatedRelevanceOptions>().fit(train, rows_from(1, train), seed);
}

/// Returns the relevance of the documents that it was fitted on.
std::vector<double> relevance(const std::string& type, const FeatureLists& train,
                              const std::string& options = "{}", std::uint64_t seed = 1) {
  return fit(type, train, options, seed)(train, rows_from(1, train));
}

double standard_deviation(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.) / n;
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / n);
}

TEST(SimulatedRelevanceTest, TheLargestLabelOfTheListsIsTheLargestRelevance) {
  FeatureListsBuilder builder;
  builder.start_list(1);
  for (const int label : {0, 2, -2, 1}) builder.add({.label = label});
  const FeatureLists lists = builder.build();
  EXPECT_THAT(relevance("labels", lists, "largest: 2"), ElementsAre(0, 4, 0, 2));
  EXPECT_THAT(data_message([&] { relevance("labels", lists, "largest: 1"); }),
              ::testing::HasSubstr("document 2 has label 2; expected at most 1"));
}

TEST(SimulatedRelevanceTest, LabelsAreJudgedRelevance) {
  FeatureListsBuilder builder;
  builder.start_list(1);
  for (const int label : {0, 4, -2, 1}) builder.add({.label = label});
  EXPECT_THAT(relevance("labels", builder.build()), ElementsAre(0, 4, 0, 1));
}

TEST(SimulatedRelevanceTest, LabelsMustBeThereAndNotTooLarge) {
  EXPECT_EQ(data_message([] { relevance("labels", documents({{1}})); }),
            "the lists have no relevance labels; expected some to simulate clicks");
  FeatureListsBuilder builder;
  builder.start_list(1);
  builder.add({.label = 1});
  builder.add({.label = 5});
  EXPECT_EQ(data_message([&] { relevance("labels", builder.build()); }),
            "document 2 has label 5; expected at most 4 to simulate clicks");
}

TEST(SimulatedRelevanceTest, MapsPercentilesToTheEndsOfTheScale) {
  std::vector<std::vector<float>> rows;
  for (int i = 0; i <= 20; ++i) rows.push_back({static_cast<float>(100 * i)});
  std::vector<double> found = relevance("linear", documents(rows), "{noise: 0}");
  if (found.front() > found.back()) std::reverse(found.begin(), found.end());  // the weight's sign
  for (int i = 0; i <= 20; ++i)
    EXPECT_NEAR(found[static_cast<std::size_t>(i)], 4 * std::clamp((i - 1) / 18., 0., 1.), 1e-12);
}

/// Among 41 documents, the percentiles are the scores of the 3rd and the 39th.
TEST(SimulatedRelevanceTest, NoiseCountsInPercentiles) {
  const FeatureLists train = random_documents(41, 3);
  for (const std::string type : {"linear", "tanh"}) {
    const std::vector<double> found = relevance(type, train, "{noise: 1}");
    EXPECT_EQ(std::count(found.begin(), found.end(), 0.), 3) << type;
    EXPECT_EQ(std::count(found.begin(), found.end(), 4.), 3) << type;
  }
}

TEST(SimulatedRelevanceTest, OnlyLinearRelevanceIsLinear) {
  // Three documents on a line, well within the range of the training documents.
  const FeatureLists train = random_documents(1000, 5);
  std::vector<std::vector<float>> line(3, std::vector<float>(5));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      line[i][j] = static_cast<float>(i) * 0.5f * static_cast<float>(j % 2);
  const FeatureLists asked = documents(line);
  const auto curvature = [&](const std::string& type) {
    const std::vector<double> y = fit(type, train, "{noise: 0}")(asked, rows_from(1, asked));
    return std::abs(y[0] - 2 * y[1] + y[2]);
  };
  EXPECT_LT(curvature("linear"), 1e-6);
  EXPECT_GT(curvature("tanh"), 0.05);
}

TEST(SimulatedRelevanceTest, NoiseIsAShareOfTheSignal) {
  const FeatureLists train = random_documents(20000, 4);
  for (const std::string type : {"linear", "tanh"}) {
    // Nearly the ratio of the deviations: a tenth of the documents is clamped to the ends.
    const std::vector<double> without = relevance(type, train, "{noise: 0}");
    const std::vector<double> with = relevance(type, train, "{noise: 0.2}");
    double covariance = 0;
    std::vector<double> rest;
    for (std::size_t i = 0; i < with.size(); ++i) covariance += (without[i] - 2) * (with[i] - 2);
    double variance = 0;
    for (const double y : without) variance += (y - 2) * (y - 2);
    for (std::size_t i = 0; i < with.size(); ++i)
      rest.push_back(with[i] - 2 - covariance / variance * (without[i] - 2));
    EXPECT_NEAR(standard_deviation(rest) / standard_deviation(without), 0.2, 0.04) << type;
  }
}

TEST(SimulatedRelevanceTest, AFunctionOfSeedRowAndFeatures) {
  const FeatureLists train = random_documents(500, 6), other = random_documents(100, 6, 1);
  for (const std::string type : {"linear", "tanh"}) {
    const auto found = fit(type, train)(other, rows_from(501, other));
    EXPECT_EQ(found, fit(type, train)(other, rows_from(501, other))) << type;
    EXPECT_NE(found, fit(type, train, "{}", 2)(other, rows_from(501, other))) << type;
    EXPECT_NE(found, fit(type, train)(other, rows_from(502, other))) << "noise of other pairs";
    const std::vector<std::uint32_t> last = {rows_from(501, other).back()};
    const auto row = other[0].features.last(6);
    EXPECT_THAT(fit(type, train)(documents({{row.begin(), row.end()}}), last),
                ElementsAre(found.back()));
  }
}

TEST(SimulatedRelevanceTest, ScalingOfFeaturesChangesNothing) {
  const FeatureLists train = random_documents(200, 2);
  const FeatureLists scaled = train.with_features([](std::span<float> rows) {
    for (std::size_t i = 0; i < rows.size(); i += 2) rows[i] = 64 * rows[i];
  });
  for (const std::string type : {"linear", "tanh"}) {
    const auto a = relevance(type, train), b = relevance(type, scaled);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << type;
  }
}

TEST(SimulatedRelevanceTest, DisagreeingUsersAreBetweenTheJudgesAndTheirOwnPreference) {
  FeatureListsBuilder builder(2);
  builder.start_list(1);
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  for (int i = 0; i < 100; ++i)
    for (float& x : builder.add({.label = i % 5})) x = static_cast<float>(random.normal());
  const FeatureLists lists = builder.build();
  const std::vector<double> judged = relevance("labels", lists),
                            own = relevance("linear", lists, "{noise: 0.3}");
  for (const double d : {0., 0.25, 1.}) {
    const std::vector<double> mixed =
        relevance("disagreeing", lists, fmt::format("{{disagreement: {}, noise: 0.3}}", d));
    for (std::size_t i = 0; i < mixed.size(); ++i)
      ASSERT_DOUBLE_EQ(mixed[i], (1 - d) * judged[i] + d * own[i]) << d;
  }
}

TEST(SimulatedRelevanceTest, AMissingFeatureCountsAsItsMean) {
  const float missing = std::nanf("");
  const FeatureLists gaps = documents_with_gaps({{1}, {missing}, {3}, {2}, {missing}, {6}});
  const FeatureLists filled = documents({{1}, {3}, {3}, {2}, {3}, {6}});
  for (const std::string type : {"linear", "tanh"}) {
    const std::vector<double> found = relevance(type, gaps, "{noise: 0}");
    EXPECT_EQ(found[1], found[4]) << type;
    EXPECT_DOUBLE_EQ(found[1], found[2]) << type << ": the mean of 1, 3, 2 and 6 is 3";
    EXPECT_EQ(fit(type, gaps, "{noise: 0}")(filled, rows_from(1, filled)), found) << type;
    EXPECT_EQ(data_message([&] {
                relevance(type, documents_with_gaps({{missing}, {missing}}));
              }),
              "no feature differs between the 2 training documents; expected one that does, to "
              "simulate relevance");
  }
  EXPECT_EQ(relevance("linear", documents_with_gaps({{1, missing}, {3, missing}}), "{noise: 0}"),
            relevance("linear", documents_with_gaps({{1, 5}, {3, 5}}), "{noise: 0}"));
}

TEST(SimulatedRelevanceTest, FeaturesMustBeThereAndDiffer) {
  for (const std::string type : {"linear", "tanh"}) {
    EXPECT_EQ(data_message([&] {
                relevance(type, documents({{}, {}}));
              }),
              "the lists have no features; expected some to simulate relevance");
    EXPECT_EQ(data_message([&] {
                relevance(type, documents({{1, 2}, {1, 2}}));
              }),
              "no feature differs between the 2 training documents; expected one that does, to "
              "simulate relevance");
    EXPECT_EQ(data_message([&] {
                const FeatureLists other = random_documents(2, 2);
                fit(type, random_documents(9, 3))(other, rows_from(1, other));
              }),
              "the lists have 2 features; expected 3, as the training lists");
  }
}

}  // namespace
}  // namespace ultr::simulated_relevance_test
