#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "data/features/feature_scaling.h"
#include "data/simulation/simulated_relevance.h"
#include "models/model_fixture.h"
#include "optim/adam.h"
#include "testing/make_lists.h"
#include "training/fitters.h"
#include "training/predictor.h"
#include "training/training.h"

/// Simulated relevance of a known form is found by a tower of that form, from features alone.
namespace ultr::relevance_recovery_test {
namespace {

constexpr int threads = 2;

/// Synthetic lists whose documents are clicked with probability σ(s - 2), s the relevance.
struct Lists {
  Dataset dataset;
  std::vector<double> test_relevance;
};

Lists lists_with_relevance(const std::string& type) {
  auto parts = testing::make_lists("synthetic",
                                   "{train_queries: 1500, valid_queries: 0, test_queries: 200}");
  FeatureScalingOptions scaling_options;
  testing::configure(scaling_options, "{log1p: true, standardise: true}");
  const FeatureScaling scaling(parts.train, scaling_options);
  const Choice relevance_type(simulated_relevance_types(), type);
  SimulatedRelevance relevance;
  Lists made;
  const std::size_t columns = parts.train.features();
  std::vector<float> features(columns);
  const auto add = [&](const FeatureLists& unscaled, SessionLog& log) {
    const FeatureLists lists = scaling.apply(unscaled);
    std::vector<std::uint32_t> rows;
    for (std::size_t l = 0; l < lists.lists(); ++l)
      for (const std::uint64_t document : lists[l].documents)
        rows.push_back(made.dataset.dictionary.add(lists[l].query, document));
    features.insert(features.end(), lists.columns().features.begin(),
                    lists.columns().features.end());
    if (!relevance) relevance = relevance_type.as<SimulatedRelevanceOptions>().fit(lists, rows, 1);
    const std::vector<double> s = relevance(lists, rows);
    for (std::size_t l = 0, at = 0; l < lists.lists(); ++l) {
      const std::size_t n = lists.length(l);
      std::vector<std::uint16_t> positions(n);
      std::iota(positions.begin(), positions.end(), std::uint16_t{0});
      std::vector<float> targets;
      for (std::size_t k = 0; k < n; ++k)
        targets.push_back(static_cast<float>(1 / (1 + std::exp(2 - s[at + k]))));
      log.add({.rows = std::span(rows).subspan(at, n),
               .positions = positions,
               .clicks = std::vector<std::uint8_t>(n),
               .query = l,
               .targets = targets});
      at += n;
    }
    return s;
  };
  add(parts.train, made.dataset.train);
  made.test_relevance = add(parts.test, made.dataset.test);
  made.dataset.features = FeatureTable(std::move(features), static_cast<std::int64_t>(columns));
  made.dataset.positions = made.dataset.train.longest();
  return made;
}

/// Share of the variance of relevance, on test documents, that a tower's logit explains after
/// training on the pointwise loss.
double explained(const Lists& lists, const std::string& tower) {
  const Choice loss(testing::registry().losses(), "naive");
  testing::configure(*loss.options, "{base: pointwise, relevance: " + tower + "}");
  const Dataset& dataset = lists.dataset;
  const TrainableModel model =
      loss.as<ModelOptions>().build({.rows = dataset.dictionary.rows(),
                                     .positions = static_cast<std::int64_t>(dataset.positions),
                                     .features = dataset.features});
  TrainOptions train;
  testing::configure(train, "{epochs: 40, batch_size: 16, early_stopping: 0}");
  AdamWOptions optimizer;
  testing::configure(optimizer, "{lr: 0.005, schedule: cosine}");
  const auto fitter = make_fitter(
      optimizer, {.model = model, .train = dataset.train, .options = train, .threads = threads});
  train_model(model, *fitter, train, dataset, threads, {});
  const std::vector<double> found = Predictor(model, threads).relevance(dataset.test);
  const std::vector<double>& s = lists.test_relevance;
  const double mean = std::accumulate(s.begin(), s.end(), 0.) / static_cast<double>(s.size());
  double left = 0, all = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    left += std::pow(s[i] - 2 - found[i], 2);
    all += std::pow(s[i] - mean, 2);
  }
  return 1 - left / all;
}

constexpr const char* mlp = "{type: mlp, widths: [32, 32], activation: tanh}";

TEST(RelevanceRecoverySlowTest, ALinearTowerFindsLinearRelevance) {
  const Lists lists = lists_with_relevance("linear");
  EXPECT_GT(explained(lists, "linear"), 0.9);
}

TEST(RelevanceRecoverySlowTest, ANetworkFindsTanhRelevanceAndALinearTowerDoesNot) {
  const Lists lists = lists_with_relevance("tanh");
  EXPECT_GT(explained(lists, mlp), 0.9);
  EXPECT_LT(explained(lists, "linear"), 0.8);
}

}  // namespace
}  // namespace ultr::relevance_recovery_test
