#include <cmath>

#include <gtest/gtest.h>

#include "analyses/predicted_clicks.h"
#include "analyses/temperature_log.h"

namespace ultr::tower_clicks_test {
namespace {

using testing::temperature_data;

TEST(TowerClicksSlowTest, PredictsClicksOfOtherSessionsFromFeatures) {
  const ExperimentData data =
      temperature_data({.temperature = 0.5, .with_features = true, .queries = 400});
  const Dataset& dataset = data.dataset;
  const DocumentSample sample = sample_documents(dataset, 20000, 1);
  const PredictedClicks predicted = clicks_by_tower(dataset, sample, 1, 2);
  double squares = 0;
  for (std::size_t s = 0; s < dataset.train.sessions(); ++s)
    for (std::size_t k = 0; k < 5; ++k) {
      const double relevance =
          static_cast<double>(dataset.features.row(dataset.train[s].rows[k])[0]);
      const double truth = 1 / (1 + std::exp(std::log(static_cast<double>(k + 1)) - relevance));
      squares += std::pow(predicted.clicks[s * 5 + k] - truth, 2) / 20000;
    }
  EXPECT_LT(std::sqrt(squares), 0.05) << "clicks have a standard deviation of 0.45";
}

TEST(TowerClicksTest, ThreadsChangeNothing) {
  const ExperimentData data =
      temperature_data({.temperature = 0.5, .with_features = true, .sessions = 200});
  const DocumentSample sample = sample_documents(data.dataset, 2000, 1);
  EXPECT_EQ(clicks_by_tower(data.dataset, sample, 1, 1).clicks,
            clicks_by_tower(data.dataset, sample, 1, 3).clicks);
}

TEST(TowerClicksTest, TwoSessionsPredictNothing) {
  const ExperimentData data = temperature_data({.with_features = true, .sessions = 2});
  const DocumentSample sample = sample_documents(data.dataset, 2000, 1);
  for (const double p : clicks_by_tower(data.dataset, sample, 1, 1).clicks)
    EXPECT_TRUE(std::isnan(p));
}

}  // namespace
}  // namespace ultr::tower_clicks_test
