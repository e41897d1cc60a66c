#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/analyses.h"
#include "commands/built_in_registry.h"
#include "experiment/run_directory.h"
#include "experiment/task.h"
#include "models/model_fixture.h"
#include "testing/errors.h"
#include "testing/golden.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"

namespace ultr::off_policy_analysis_test {
namespace {

TaskResults evaluate(const std::string& data, const std::filesystem::path& folder = {},
                     const std::string& run = "") {
  const auto made = off_policy_type(testing::registry().data()).make();
  testing::configure(*made, "{resamples: 300, run: '" + run + "', data: " + data + "}");
  auto& analysis = dynamic_cast<Task&>(*made);
  analysis.check();
  if (!folder.empty()) analysis.locate_files(folder);
  Registry registry = built_in_registry();
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
            "data.test, or a trained run as analysis.run");
}

TEST(OffPolicyAnalysisTest, LabelsAndClickRatesAreRefused) {
  const auto learning = [](const std::string& from) {
    return "{format: feature_lists, reader: {type: synthetic, train_queries: 5, valid_queries: 0, "
           "test_queries: 5}, learn_from: " +
           from + "}";
  };
  const auto simulated = [&](const std::string& aggregate) {
    return learning("{type: simulated_clicks, sessions: 100" + aggregate + "}");
  };
  EXPECT_EQ(testing::data_message([&] { evaluate(learning("labels")); }),
            "the training sessions have relevance labels; expected clicks or click rates, which "
            "depend on ranks");
  EXPECT_EQ(testing::config_message([&] { evaluate(simulated("")); }),
            "the sessions have click rates; expected clicks (analysis.data.learn_from.aggregate: "
            "false)");
  EXPECT_GT(value_of(evaluate(simulated(", aggregate: false")), "logged")["clicks_per_list"], 0);
}

TEST(OffPolicyAnalysisTest, ATrainedRunIsEvaluatedByItsRanking) {
  const std::string options =
      "sessions: 4000, queries: 3, candidates: 5, positions: 3, ranking_noise: 1000, "
      "valid_sessions: 0";
  const ExperimentData data = testing::simulate("{" + options + "}");
  const testing::TemporaryFolder folder;
  RunDirectory run((folder.path() / "run").string(), "run");
  run.create();
  run.write("config.yaml", "model: pbm\n");
  run.write_model(*data.truth, data.dataset.dictionary);
  const std::string simulation = "{format: simulation, " + options;
  const TaskResults of_log = evaluate(simulation + ", test_sessions: 0}", {}, run.path()),
                    of_test = evaluate(simulation + ", test_sessions: 500}", {}, run.path());
  EXPECT_EQ(of_log.json["target_lists"], 4000);
  EXPECT_EQ(of_test.json["target_lists"], 500);
  for (const TaskResults* results : {&of_log, &of_test}) {
    EXPECT_THROW(value_of(*results, "observed"), Error) << "nobody saw its lists";
    EXPECT_GT(value_of(*results, "ips")["lower"], value_of(*results, "logged")["upper"])
        << "it ranks by the truth, and the log at random";
  }
}

TEST(OffPolicyAnalysisTest, SaysThatThereAreNoPropensities) {
  const TaskResults results =
      evaluate("{format: simulation, sessions: 500, valid_sessions: 0, test_sessions: 500}");
  EXPECT_THAT(results.notes, ::testing::Contains(::testing::HasSubstr("has no propensities")));
}

TEST(OffPolicyAnalysisTest, SaysThatALogWithoutClicksIsTooSmall) {
  const auto notes = [](const std::string& sessions) {
    return evaluate(
               "{format: simulation, valid_sessions: 0, queries: 1, candidates: 2, "
               "positions: 1, logit_mean: -7, logit_spread: 0, test_sessions: 1, sessions: " +
               sessions + "}")
        .notes;
  };
  const auto too_small = ::testing::Contains(::testing::HasSubstr("too small to tell its clicks"));
  EXPECT_THAT(notes("3"), too_small);
  EXPECT_THAT(notes("30000"), ::testing::Not(too_small));
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
