#include "analyses/predicted_clicks.h"

#include <gtest/gtest.h>

#include "analyses/temperature_log.h"
#include "metrics/bias/additive_clicks.h"
#include "metrics/logged_clicks.h"

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
  EXPECT_TRUE(predicted.notes.empty());
}

/// Pairs at one rank alone, which say nothing about θ, make steps to a difference of 2 log 9 short.
TEST(PredictedClicksTest, ANoteSaysThatTheModelOfPairsHasNotSettled) {
  Dataset dataset;
  dataset.train =
      testing::log_of({{1, 1, 1000, 1000}, {2, 2, 1000, 1000}, {3, 1, 9, 1}, {3, 2, 1, 9}});
  const PairPositionCounts counts(dataset.train);
  EXPECT_FALSE(fit_additive_clicks(counts, 1).settled);
  const PredictedClicks predicted = clicks_by_pairs(dataset, counts, {}, 1);
  ASSERT_EQ(predicted.notes.size(), 1u);
  EXPECT_EQ(predicted.notes[0],
            "residuals: the additive model was still changing when its fit ended; more sweeps may "
            "change its residuals");
}

}  // namespace
}  // namespace ultr::predicted_clicks_test
