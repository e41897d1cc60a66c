#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/analyses.h"
#include "experiment/task.h"
#include "models/model_fixture.h"
#include "testing/errors.h"
#include "testing/golden.h"

namespace ultr::off_policy_analysis_test {
namespace {

TaskResults evaluate(const std::string& data, const std::filesystem::path& folder = {}) {
  const auto made = off_policy_type(testing::registry().data()).make();
  testing::configure(*made, "{resamples: 300, data: " + data + "}");
  auto& analysis = dynamic_cast<Task&>(*made);
  analysis.check();
  if (!folder.empty()) analysis.locate_files(folder);
  Registry registry;
  return analysis.run({.registry = registry});
}

/// Returns the value of an estimator.
const nlohmann::ordered_json& value_of(const TaskResults& results, const std::string& estimator) {
  for (const nlohmann::ordered_json& value : results.json.at("values"))
    if (value["estimator"] == estimator) return value;
  throw Error("there is no estimator " + estimator);
}

TEST(OffPolicyAnalysisTest, NeedsALogOfThePolicyToEvaluate) {
  EXPECT_EQ(testing::config_message(
                [] { evaluate("{format: simulation, sessions: 50, test_sessions: 0}"); }),
            "analysis.data has no test sessions; expected a log of the policy to evaluate as "
            "data.test");
}

TEST(OffPolicyAnalysisTest, SaysThatThereAreNoPropensities) {
  const TaskResults results =
      evaluate("{format: simulation, sessions: 500, valid_sessions: 0, test_sessions: 500}");
  EXPECT_THAT(results.notes, ::testing::Contains(::testing::HasSubstr("has no propensities")));
}

double half_width(const nlohmann::ordered_json& value) {
  return (value["upper"].get<double>() - value["lower"].get<double>()) / 2;
}

/// Logs of two policies that ran side by side: each tells what the other one got, within a 95%
/// interval of the difference.
TEST(OffPolicyAnalysisDataTest, EachPolicyTellsWhatTheOtherGot) {
  ULTR_NEEDS_DATA();
  const auto from_to = [](const std::string& from, const std::string& to) {
    return evaluate("{format: open_bandit, train: open-bandit/" + from +
                        "/men.csv, test: open-bandit/" + to + "/men.csv, max_positions: 3}",
                    *testing::data_folder());
  };
  for (const auto& [from, to] : {std::pair("random", "bts"), {"bts", "random"}}) {
    const TaskResults results = from_to(from, to);
    const nlohmann::ordered_json& observed = value_of(results, "observed");
    for (const std::string estimator : {"ips", "snips", "doubly_robust"}) {
      const nlohmann::ordered_json& value = value_of(results, estimator);
      EXPECT_NEAR(value["clicks_per_list"], observed["clicks_per_list"],
                  std::hypot(half_width(value), half_width(observed)))
          << from << " " << estimator;
    }
  }
}

}  // namespace
}  // namespace ultr::off_policy_analysis_test
