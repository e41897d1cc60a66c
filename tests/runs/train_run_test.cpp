#include "runs/train_run.h"

#include <array>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/exit_code.h"
#include "commands/built_in_registry.h"
#include "commands/train.h"
#include "experiment/resolve_options.h"
#include "losses/losses.h"
#include "runs/run_inputs.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"
#include "testing/thread_communicator.h"

namespace ultr::train_run_test {
namespace {

using testing::config_message;
using ::testing::HasSubstr;

/// Runs on two judged lists with features.
class SingleRunTest : public ::testing::Test {
 protected:
  SingleRunTest() {
    folder_.write("train.txt",
                  "0 qid:1 1:3 2:1\n3 qid:1 2:2\n"
                  "1 qid:2 1:5\n0 qid:2 1:1\n");
    folder_.write("propensities.csv", "position,examination\n1,1\n2,0.5\n");
    folder_.write("config.yaml",
                  "data: {format: feature_lists, reader: svmlight, train: [train.txt]}\n"
                  "train: {epochs: 1}\n");
  }

  /// The type of the model that a configuration builds; throws what building it throws.
  std::string build(const std::vector<std::string>& overrides) {
    const ExperimentOptions options = resolve_options(config_, overrides, registry_);
    options.locate_files(folder_.path());
    return build_model(options, load_data(options).dataset).type();
  }

  /// Returns the overrides that choose a loss of a registered type, with all that it needs.
  static std::vector<std::string> loss_of(const std::string& type) {
    std::vector<std::string> overrides = {"loss.type=" + type};
    if (type == "ips") overrides.emplace_back("loss.propensities=propensities.csv");
    return overrides;
  }

  /// Trains a model of several stages in a folder, up to the given question whether it is to stop;
  /// 0: to the end. Returns how often it was asked.
  int train(const std::string& output, bool resume, int last_question) {
    ExperimentOptions options =
        resolve_options(config_,
                        {"loss.type=backdoor", "data.learn_from.scale=probability",
                         "train.epochs=2", "train.batch_size=1", "report.enabled=false"},
                        registry_);
    options.locate_files(folder_.path());
    const std::filesystem::path path = folder_.path() / output;
    RunDirectory folder = resume ? RunDirectory::of_run(path) : RunDirectory(path.string(), "");
    int asked = 0;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    try {
      train_and_evaluate(
          options, load_data(options), folder,
          {.stop = [&] { return ++asked == last_question ? SIGTERM : 0; }, .resume = resume});
    } catch (const Interrupted&) {
      EXPECT_EQ(asked, last_question);
    }
    ::testing::internal::GetCapturedStdout();
    ::testing::internal::GetCapturedStderr();
    return asked;
  }
  /// The contents of a run's folder, without times.
  std::map<std::string, std::string> files_of(const std::string& output) const {
    std::map<std::string, std::string> files;
    const std::filesystem::path run = folder_.path() / output;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(run)) {
      if (entry.is_directory()) continue;
      std::string text = testing::read_text(entry.path());
      if (entry.path().extension() == ".csv") text = std::regex_replace(text, csv_times_, "\n");
      text = std::regex_replace(text, json_times_, "");
      files[std::filesystem::relative(entry.path(), run).string()] = text;
    }
    return files;
  }

  const std::regex csv_times_{",[0-9.]+,[0-9.]+\n"};
  const std::regex json_times_{
      "\"(seconds|cpu_seconds|sessions_per_second|peak_memory_megabytes)\": [-+.e0-9]+"};
  testing::TemporaryFolder folder_;
  std::filesystem::path config_ = folder_.path() / "config.yaml";
  Registry registry_ = built_in_registry();
};

TEST_F(SingleRunTest, ClickModelsLearnFromNoLabels) {
  for (const char* scale : {"labels", "probability"})
    EXPECT_EQ(config_message([&] {
                build({"model=dbn", std::string("data.learn_from.scale=") + scale});
              }),
              "dbn learns from clicks, session by session, and the training data have labels or "
              "click rates; expected a ranking loss, or clicks");
}

TEST_F(SingleRunTest, LossesOfClicksLearnFromRatesButNoGrades) {
  for (const ModelType& type : ranking_losses()) {
    if (type.name == "distill") continue;  // learns from neither
    SCOPED_TRACE(type.name);
    std::vector<std::string> overrides = loss_of(type.name);
    EXPECT_EQ(config_message([&] { build(overrides); }),
              type.name +
                  " learns from clicks or their rates, and the training data have a target of 3; "
                  "expected at most 1 (data.learn_from.scale: probability)");
    overrides.emplace_back("data.learn_from.scale=probability");
    EXPECT_EQ(build(overrides), type.name);
  }
}

TEST_F(SingleRunTest, ListLossesLearnFromGrades) {
  for (const char* base : {"softmax", "pairwise", "lambdarank"})
    EXPECT_EQ(build({"loss.type=naive", std::string("loss.base=") + base}), "naive") << base;
}

TEST_F(SingleRunTest, ResumesInAnyStageFromAnyCheckpoint) {
  const int questions = train("whole", false, 0);
  const auto whole = files_of("whole");
  ASSERT_THAT(whole.at("metrics.csv"), HasSubstr("backdoor.policy\n"));
  // In each of four stages two epochs of two steps and their ends, and before each evaluation.
  ASSERT_GE(questions, 4 * 2 * (2 + 1) + 1);
  for (int last = 1; last <= questions; ++last) {
    SCOPED_TRACE(last);
    const std::string run = std::to_string(last);
    EXPECT_EQ(train(run, false, last), last);
    ASSERT_FALSE(std::filesystem::exists(folder_.path() / run / "results.json"));
    if (const auto metrics = folder_.path() / run / "metrics.csv"; std::filesystem::exists(metrics))
      std::ofstream(metrics, std::ios::app) << "7,0.0";  // as a killed run may leave it
    train(run, true, 0);
    EXPECT_EQ(files_of(run), whole);
  }
}

TEST_F(SingleRunTest, EpochsAreAppendedToMetrics) {
  ExperimentOptions options = resolve_options(config_,
                                              {"loss.type=pbm", "data.learn_from.scale=probability",
                                               "train.epochs=5", "report.enabled=false"},
                                              registry_);
  options.locate_files(folder_.path());
  RunDirectory folder((folder_.path() / "run").string(), "");
  const std::filesystem::path link = folder_.path() / "link";
  train_and_evaluate(options, load_data(options), folder, {.epoch = [&](const EpochResult& epoch) {
                       if (epoch.epoch == 2)
                         std::filesystem::create_hard_link(folder.path() / "metrics.csv", link);
                     }});
  EXPECT_EQ(testing::read_text(link), testing::read_text(folder.path() / "metrics.csv"));
}

TEST_F(SingleRunTest, TargetsThatDoNotFitLeaveNothingBehind) {
  const std::string output = (folder_.path() / "run").string();
  const std::size_t files = folder_.size();
  ::testing::internal::CaptureStderr();
  const int code = with_exit_code([&] {
    return run_experiment(config_, {"model=pbm", "output=" + output}, Action::run, registry_);
  });
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("error: pbm learns from clicks"));
  EXPECT_EQ(code, 2);
  EXPECT_EQ(folder_.size(), files);
}

TEST_F(SingleRunTest, LossesOfClicksStartAtTheMeanOfRates) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int code = with_exit_code([&] {
    return run_experiment(config_,
                          {"loss.type=pbm", "data.learn_from.scale=probability",
                           "report.enabled=false", "output=" + (folder_.path() / "run").string()},
                          Action::run, registry_);
  });
  ::testing::internal::GetCapturedStdout();
  // The labels 0, 3, 1 and 0 are rates of 0, 7/15, 1/15 and 0.
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("pbm: starts at a click rate of 0.1333"));
  EXPECT_EQ(code, 0);
}

TEST_F(SingleRunTest, RefusesProcessesWithDifferentData) {
  const auto resolved = [&](const std::vector<std::string>& overrides) {
    ExperimentOptions options = resolve_options(config_, overrides, registry_);
    options.locate_files(folder_.path());
    return options;
  };
  const auto message_of = [&](std::array<ExperimentOptions, 2> options,
                              const std::array<const ExperimentData*, 2>& data) {
    std::array<std::string, 2> messages;
    testing::ThreadCommunicators(2).run([&](Communicator& processes) {
      const auto r = static_cast<std::size_t>(processes.process());
      RunDirectory folder((folder_.path() / std::to_string(r)).string(), "");
      messages[r] = testing::data_message(
          [&] { train_and_evaluate(options[r], *data[r], folder, {.processes = &processes}); });
    });
    EXPECT_EQ(messages[0], messages[1]);
    return messages[0];
  };
  const ExperimentData data = load_data(resolved({}));
  folder_.write("train.txt",
                "0 qid:1 1:3 2:1\n3 qid:1 2:2\n"
                "1 qid:2 1:5\n0 qid:2 1:1\n"
                "2 qid:3 1:4\n0 qid:3 2:6\n");
  const ExperimentData other = load_data(resolved({}));
  EXPECT_THAT(message_of({resolved({}), resolved({})}, {&data, &other}),
              ::testing::MatchesRegex("process 1 has .* 6 query-document pairs .*; expected .* 4 "
                                      "query-document pairs .*, as process 0 has"));
  EXPECT_EQ(message_of({resolved({}), resolved({"train.epochs=2"})}, {&data, &data}),
            "process 1 has train.epochs=2; expected train.epochs=1, as process 0 has");
}

/// The results of runs without files.
class EvaluatedRunTest : public ::testing::Test {
 protected:
  /// Trains one epoch and returns results.json.
  nlohmann::json results_of(const std::string& config, const std::string& output,
                            const std::vector<std::string>& overrides = {}) {
    folder_.write("config.yaml", config + "train: {epochs: 1}\nreport: {enabled: false}\n");
    ExperimentOptions options =
        resolve_options(folder_.path() / "config.yaml", overrides, registry_);
    RunDirectory folder((folder_.path() / output).string(), "");
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    train_and_evaluate(options, load_data(options), folder, {});
    printed_ = ::testing::internal::GetCapturedStdout();
    ::testing::internal::GetCapturedStderr();
    return nlohmann::json::parse(testing::read_text(folder.path() / "results.json"));
  }
  /// Returns the results of a run on simulated sessions.
  nlohmann::json sampled(const std::string& train_sessions) {
    return results_of(
        "data: {sessions: 3000, valid_sessions: 100, test_sessions: 100, positions: 5}\n"
        "model: dbn\n",
        "run_" + train_sessions, {"evaluate.train_sessions=" + train_sessions});
  }

  testing::TemporaryFolder folder_;
  Registry registry_ = built_in_registry();
  std::string printed_;
};

TEST_F(EvaluatedRunTest, JudgedListsAreBinnedByASimulatedLoggingPolicy) {
  const auto ranking = [&](const std::string& output, const std::string& learn_from) {
    return results_of(
        "data: {format: feature_lists, reader: {type: synthetic, train_queries: 20, valid_queries: "
        "2, test_queries: 10}, scaling: {log1p: true, standardise: true}, learn_from: " +
            learn_from +
            "}\n"
            "loss: {type: naive, relevance: linear}\n",
        output)["test"]["ranking"];
  };
  const nlohmann::json results = ranking("clicks", "{type: simulated_clicks, sessions: 50}"),
                       bins = results["by_policy"];
  EXPECT_EQ(bins["lists"], (std::vector{2, 2, 2, 2, 2}));
  EXPECT_EQ(bins["policy"], std::vector(5, 1.)) << "experts sort";
  double mean = 0;
  for (const double bin : bins["model"]) mean += bin / 5;
  EXPECT_NEAR(mean, results["ndcg@10"], 1e-12);
  for (const double random : bins["random"]) EXPECT_LT(random, 1);
  EXPECT_FALSE(ranking("labels", "{type: labels, scale: probability}").contains("by_policy"));
}

TEST_F(EvaluatedRunTest, ASampleOfTheTrainingSessionsSaysSoAndHasAnInterval) {
  const nlohmann::json all = sampled("0"), same = sampled("3000");
  EXPECT_EQ(all["train"]["sessions"], 3000);
  EXPECT_FALSE(all["train"].contains("of_sessions"));
  EXPECT_FALSE(all["train"].contains("ll_interval"));
  EXPECT_EQ(same["train"], all["train"]);

  const nlohmann::json part = sampled("1000");
  EXPECT_EQ(part["sessions"], 3000);
  EXPECT_EQ(part["train"]["sessions"], 1000);
  EXPECT_EQ(part["train"]["of_sessions"], 3000);
  EXPECT_EQ(part["test"], all["test"]);
  const double lower = part["train"]["ll_interval"][0], upper = part["train"]["ll_interval"][1];
  EXPECT_LT(lower, part["train"]["ll"]);
  EXPECT_GT(upper, part["train"]["ll"]);
  EXPECT_LT(upper - lower, 0.1);
  EXPECT_LT(lower, all["train"]["ll"]);
  EXPECT_GT(upper, all["train"]["ll"]);
  EXPECT_THAT(printed_, HasSubstr("(on 1000 of 3000 sessions; all: ll "));
}

TEST_F(EvaluatedRunTest, ASampleOfOneTrainingSessionSetsNoBounds) {
  const nlohmann::json train = sampled("1")["train"];
  EXPECT_EQ(train["sessions"], 1);
  EXPECT_EQ(train["of_sessions"], 3000);
  ASSERT_EQ(train["ll_interval"].size(), 2u);
  EXPECT_TRUE(train["ll_interval"][0].is_null());
  EXPECT_TRUE(train["ll_interval"][1].is_null());
  EXPECT_THAT(printed_, HasSubstr("(on 1 of 3000 sessions; all: ll -inf to inf)"));
}

}  // namespace
}  // namespace ultr::train_run_test
