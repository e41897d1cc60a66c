#include "analyses/document_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/temperature_log.h"

namespace ultr::document_sample_test {
namespace {

using ::testing::ElementsAre;
using testing::temperature_data;

TEST(DocumentSampleTest, TakesAllDocumentsOfSmallLogs) {
  const ExperimentData data = temperature_data({.with_features = true, .sessions = 30});
  const DocumentSample sample = sample_documents(data.dataset, 150, 1);
  EXPECT_EQ(sample.sessions.size(), 30u);
  EXPECT_EQ(sample.feature_count, 2u);
  ASSERT_EQ(sample.features.size(), 150u * 2);
  const auto expected = data.dataset.features.row(data.dataset.train[7].rows[3]);
  EXPECT_THAT(sample.row(7 * 5 + 3), ElementsAre(expected[0], expected[1]));
}

TEST(DocumentSampleTest, DrawsWholeSessionsByTheSeed) {
  const ExperimentData data = temperature_data({.with_features = true});
  const DocumentSample sample = sample_documents(data.dataset, 5000, 1);
  // 4000 draws with probability 1/4: the standard deviation is sqrt(4000 / 4 3/4) = 27.
  EXPECT_NEAR(static_cast<double>(sample.sessions.size()), 1000, 4 * 27.4);
  EXPECT_EQ(sample.features.size(), sample.sessions.size() * 5 * 2);
  EXPECT_TRUE(std::is_sorted(sample.sessions.begin(), sample.sessions.end()));
  EXPECT_EQ(sample_documents(data.dataset, 5000, 1).sessions, sample.sessions);
  EXPECT_NE(sample_documents(data.dataset, 5000, 2).sessions, sample.sessions);
}

TEST(DocumentSampleTest, TakesDocumentsOwnFeaturesAndLeavesBiasFeaturesOut) {
  ExperimentData data = temperature_data({.with_features = true, .sessions = 2});
  std::vector<float> own(11 * 2);
  std::iota(own.begin() + 2, own.end(), 1.f);
  data.dataset.train.set_features({std::move(own), 2, 1});
  const DocumentSample sample = sample_documents(data.dataset, 100, 1);
  EXPECT_THAT(sample.features, ElementsAre(1, 3, 5, 7, 9, 11, 13, 15, 17, 19));
}

TEST(DocumentSampleTest, HasNoFeaturesIfTheDataHaveNone) {
  const ExperimentData data = temperature_data({.sessions = 10});
  const DocumentSample sample = sample_documents(data.dataset, 1000, 1);
  EXPECT_EQ(sample.sessions.size(), 10u);
  EXPECT_EQ(sample.feature_count, 0u);
  EXPECT_TRUE(sample.features.empty());
}

}  // namespace
}  // namespace ultr::document_sample_test
