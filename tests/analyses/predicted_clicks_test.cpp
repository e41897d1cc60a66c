#include "analyses/predicted_clicks.h"

#include <gtest/gtest.h>

#include "analyses/temperature_log.h"
#include "metrics/bias/additive_clicks.h"

namespace ultr::predicted_clicks_test {
namespace {

// Predictions by runs are tested with ultr-run, which creates runs.

TEST(PredictedClicksTest, PairsAreFittedToAllSessionsAndAskedForTheSample) {
  const ExperimentData data = testing::temperature_data({.temperature = 0.5});
  const Dataset& dataset = data.dataset;
  const DocumentSample sample = sample_documents(dataset, 2000, 1);
  const PairPositionCounts counts(dataset.train);
  const PredictedClicks predicted = clicks_by_pairs(dataset, counts, sample, 2);
  ASSERT_EQ(predicted.clicks.size(), sample.sessions.size() * 5);
  const AdditiveClicks fit = fit_additive_clicks(counts, 1);
  const SessionView second = dataset.train[sample.sessions[1]];
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(predicted.clicks[5 + i], fit.click(second.rows[i], i)) << i;
}

}  // namespace
}  // namespace ultr::predicted_clicks_test
