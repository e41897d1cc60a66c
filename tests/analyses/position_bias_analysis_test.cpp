#include <cmath>

#include <gtest/gtest.h>

#include "analyses/analyses.h"
#include "commands/built_in_registry.h"
#include "experiment/task.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "testing/errors.h"

namespace ultr::position_bias_analysis_test {
namespace {

nlohmann::ordered_json results_of(const std::string& config, int threads = 1) {
  Registry registry = built_in_registry();
  const auto options = position_bias_type(registry.data()).make();
  auto& analysis = dynamic_cast<Task&>(*options);
  read_options(parse_config(config, "test"), analysis);
  analysis.check();
  analysis.locate_files("");
  return analysis.run({.registry = registry, .threads = threads}).json;
}

const std::string simulated =
    "{data: {format: simulation, sessions: 20000, ranking_noise: 3}, methods: [ctr, all_pairs], "
    "resamples: 20}";

TEST(PositionBiasAnalysisTest, ComparesEachMethodWithTheTruth) {
  const auto results = results_of(simulated);
  const auto truth = results["true"].get<std::vector<double>>();
  for (std::size_t k = 0; k < truth.size(); ++k)
    EXPECT_NEAR(truth[k], 1 / static_cast<double>(k + 1), 1e-6);
  for (const char* method : {"ctr", "all_pairs"}) {
    const auto estimate = results[method]["estimate"].get<std::vector<double>>();
    ASSERT_EQ(estimate.size(), truth.size());
    double sum = 0;
    for (std::size_t k = 0; k < truth.size(); ++k)
      sum += (estimate[k] - truth[k]) * (estimate[k] - truth[k]);
    EXPECT_NEAR(results[method]["error"].get<double>(), sum / static_cast<double>(truth.size()),
                1e-12);
    EXPECT_EQ(results[method]["low"].size(), truth.size());
  }
  EXPECT_LT(results["all_pairs"]["error"], results["ctr"]["error"]);
  EXPECT_FALSE(results.contains("pivot"));
}

TEST(PositionBiasAnalysisTest, DoesNotDependOnThreads) {
  EXPECT_EQ(results_of(simulated, 1), results_of(simulated, 2));
}

TEST(PositionBiasAnalysisTest, LabelsAreNoClicks) {
  EXPECT_EQ(testing::data_message([] {
              results_of(
                  "{data: {format: feature_lists, reader: {type: synthetic, train_queries: 5, "
                  "valid_queries: 0, test_queries: 0}, learn_from: labels}}");
            }),
            "the training sessions have relevance labels; expected clicks or click rates, which "
            "depend on ranks");
}

TEST(PositionBiasAnalysisTest, UnknownMethodsAreErrors) {
  EXPECT_THROW(results_of("{methods: [psychic]}"), ConfigError);
}

}  // namespace
}  // namespace ultr::position_bias_analysis_test
