#include <gtest/gtest.h>

#include "analyses/analyses.h"
#include "commands/built_in_registry.h"
#include "experiment/task.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::diagnosis_analysis_test {
namespace {

nlohmann::ordered_json results_of(const std::string& yaml, int threads) {
  Registry registry = built_in_registry();
  const auto options = diagnosis_analysis_type(registry.data()).make();
  read_options(parse_config(yaml, "diagnosis"), *options);
  auto& analysis = dynamic_cast<Task&>(*options);
  analysis.check();
  return analysis.run({.registry = registry, .threads = threads}).json;
}

TEST(DiagnosisAnalysisTest, ResultsAreThoseOfTheDataOnAnyNumberOfThreads) {
  const std::string yaml =
      "{data: {format: simulation, sessions: 3000, queries: 5, candidates: 6, positions: 4}, "
      "sample: 5000}";
  const auto results = results_of(yaml, 1);
  EXPECT_EQ(results["verdict"]["answer"], "identifiable");
  EXPECT_EQ(results["sessions"], 3000);
  EXPECT_EQ(results_of(yaml, 3), results);
}

TEST(DiagnosisAnalysisTest, ChecksItsData) {
  EXPECT_THROW(results_of("{data: {format: simulation, sessions: 0}}", 1), ConfigError);
  EXPECT_THROW(results_of("{sample: 1}", 1), ConfigError);
}

}  // namespace
}  // namespace ultr::diagnosis_analysis_test
