#include "data/features/graded_labels.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"

namespace ultr::graded_labels_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

GradedLabelOptions options(const std::string& by, std::int64_t grades = 3) {
  GradedLabelOptions all;
  all.by = by;
  all.grades = grades;
  all.min_impressions = 1;
  return all;
}

/// Returns labels of documents with the given relevance; -1 for those that get none.
std::vector<double> labels_of(const std::vector<double>& relevance, const GradedLabelOptions& how,
                              const std::vector<std::uint64_t>& impressions = {}) {
  std::vector<RelevanceEstimate> documents;
  for (std::size_t i = 0; i < relevance.size(); ++i)
    documents.push_back(
        {relevance[i], impressions.empty() ? 100 : static_cast<double>(impressions[i])});
  std::vector<double> labels;
  for (const auto& label : graded_labels(documents, how))
    labels.push_back(label ? label->label : -1);
  return labels;
}

TEST(GradedLabelsTest, ThresholdsAreReachedByTheirValue) {
  GradedLabelOptions how = options("thresholds");
  how.cuts = {0.2, 0.5};
  EXPECT_THAT(labels_of({0.1, 0.2, 0.49, 0.5, 1}, how), ElementsAre(0, 1, 1, 2, 2));
}

TEST(GradedLabelsTest, DefaultThresholdsRoundTheExpectedGrade) {
  std::vector<double> relevance;
  for (int i = 0; i <= 1000; ++i) relevance.push_back(i / 1000.);
  const auto rounded = labels_of(relevance, options("thresholds", 5));
  const auto expected = labels_of(relevance, options("expected", 5));
  for (std::size_t i = 0; i < relevance.size(); ++i)
    EXPECT_EQ(rounded[i], std::floor(expected[i] + 0.5)) << relevance[i];
}

TEST(GradedLabelsTest, ExpectedLabelsHaveTheExpectedGain) {
  const std::vector<double> relevance = {0, 0.2, 0.7, 1};
  const auto labels = labels_of(relevance, options("expected", 5));
  for (std::size_t i = 0; i < labels.size(); ++i)
    EXPECT_NEAR(std::exp2(labels[i]) - 1, 15 * relevance[i], 1e-12);
}

TEST(GradedLabelsTest, QuantilesAreSharesOfTheLabelledDocuments) {
  EXPECT_THAT(labels_of({0.8, 0.1, 0.5, 0.2}, options("quantiles")), ElementsAre(2, 0, 1, 0));
  GradedLabelOptions how = options("quantiles");
  how.cuts = {0.25, 0.5};
  EXPECT_THAT(labels_of({0.8, 0.1, 0.5, 0.2}, how), ElementsAre(2, 0, 2, 1));
  how.min_impressions = 10;
  EXPECT_THAT(labels_of({0.8, 0.1, 0.5, 0.2, 0.9}, how, {10, 10, 10, 10, 9}),
              ElementsAre(2, 0, 2, 1, -1))
      << "documents without a label do not count";
}

TEST(GradedLabelsTest, QuantilesAreExactWhereTheirProductsAreRoundedUp) {
  std::vector<double> relevance;
  for (int i = 1; i <= 100; ++i) relevance.push_back(i / 100.);
  GradedLabelOptions how = options("quantiles", 2);
  for (const double cut : {0.07, 0.14, 0.55, 0.56}) {
    how.cuts = {cut};
    const std::vector<double> labels = labels_of(relevance, how);
    EXPECT_EQ(std::count(labels.begin(), labels.end(), 0), std::lround(100 * cut)) << cut;
  }
}

TEST(GradedLabelsTest, GradesMayFollowFromTheLowerBound) {
  GradedLabelOptions how = options("thresholds");
  how.cuts = {0.2, 0.5};
  how.relevance = "lower";
  const std::vector<RelevanceEstimate> documents = {
      {.relevance = 0.9, .impressions = 20, .lower = 0.1, .upper = 1},
      {.relevance = 0.6, .impressions = 900, .lower = 0.5, .upper = 0.7},
      {.relevance = 0.5, .impressions = 16}};  // 0.5 - 1.96 sqrt(0.25 / 20) = 0.28
  const auto labels = graded_labels(documents, how);
  EXPECT_EQ(labels[0]->label, 0);
  EXPECT_EQ(labels[1]->label, 2);
  EXPECT_EQ(labels[2]->label, 1);
}

TEST(GradedLabelsTest, GradesMayFollowFromShrunkRelevance) {
  GradedLabelOptions how = options("expected", 2);
  how.relevance = "shrunk";
  const std::vector<RelevanceEstimate> documents = {
      {.relevance = 0.9, .impressions = 20, .lower = 0.1, .upper = 1},
      {.relevance = 0.1, .impressions = 900, .lower = 0.1, .upper = 0.1}};
  const auto labels = graded_labels(documents, how);
  const double shrunk = 0.5 + labels[0]->weight * 0.4;
  EXPECT_LT(labels[0]->weight, 0.9);
  EXPECT_NEAR(labels[0]->label, std::log2(1 + shrunk), 1e-12);
  EXPECT_NEAR(labels[1]->label, std::log2(1.1), 1e-12) << "it is known exactly";
}

TEST(GradedLabelsTest, EqualRelevanceGivesEqualLabels) {
  EXPECT_THAT(labels_of({0, 0, 0, 0.5}, options("quantiles")), ElementsAre(0, 0, 0, 2));
  EXPECT_THAT(labels_of({0.3, 0.3}, options("quantiles")), ElementsAre(0, 0));
}

TEST(GradedLabelsTest, TooLittleEvidenceGivesNoLabel) {
  GradedLabelOptions how = options("expected");
  how.min_impressions = 5;
  EXPECT_THAT(labels_of({1, 1, 1}, how, {4, 5, 0}), ElementsAre(-1, 2, -1));
  EXPECT_THAT(labels_of({1}, how, {4}), ElementsAre(-1));
  EXPECT_TRUE(graded_labels({}, how).empty());
}

TEST(GradedLabelsTest, WeightsAreTheShareOfVarianceThatIsNotError) {
  const std::vector<RelevanceEstimate> documents = {{0.2, 10}, {0.2, 1000}, {0.8, 1000}};
  const auto labels = graded_labels(documents, options("quantiles"));
  const double mean = 0.4, variance = (0.04 + 0.04 + 0.16) / 3;
  ASSERT_NEAR((0.2 + 0.2 + 0.8) / 3, mean, 1e-15);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const double error = standard_error(documents[i]);
    EXPECT_NEAR(labels[i]->weight, variance / (variance + error * error), 1e-12);
  }
  EXPECT_LT(labels[0]->weight, labels[1]->weight);
  const std::vector<RelevanceEstimate> equal = {{0.2, 10}, {0.2, 1000}};
  EXPECT_EQ(graded_labels(equal, options("quantiles"))[0]->weight, 1);
}

TEST(GradedLabelsTest, StandardErrorsFallWithImpressionsAndAreNeverZero) {
  EXPECT_NEAR(standard_error({0.5, 96}), 0.05, 1e-12);
  EXPECT_GT(standard_error({0, 1}), standard_error({0, 100}));
  EXPECT_GT(standard_error({1, 1'000'000}), 0);
}

TEST(GradedLabelsTest, CutsThatDoNotFitAreRefused) {
  GradedLabelOptions how = options("thresholds");
  how.cuts = {0.5};
  const auto message = [&] { return testing::config_message([&] { how.check("--"); }); };
  EXPECT_EQ(message(), "--cuts has 1 number and --grades is 3; expected 2 numbers");
  how.cuts = {0.5, 0.5};
  EXPECT_EQ(message(), "--cuts has 0.5 before 0.5; expected increasing numbers");
  how.by = "expected";
  EXPECT_EQ(message(), "--cuts are given and --by is 'expected'; expected thresholds or quantiles");
  how.cuts.clear();
  how.check("--");
}

TEST(DocumentsByQueryTest, KeepsTheOrderOfFirstDocuments) {
  EXPECT_THAT(documents_by_query(std::vector<std::uint64_t>{7, 3, 7, 3, 5}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3), ElementsAre(4)));
}

}  // namespace
}  // namespace ultr::graded_labels_test
