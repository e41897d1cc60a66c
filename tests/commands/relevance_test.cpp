#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/run_in_process.h"
#include "testing/temporary_folder.h"

namespace ultr::relevance_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_in_process;

/// Trains on a few simulated sessions and asks for relevance.
class RelevanceTest : public ::testing::Test {
 protected:
  static std::vector<std::string> options() {
    return {"data.queries=5",     "data.candidates=5",     "data.positions=4",
            "data.sessions=2000", "data.valid_sessions=0", "data.test_sessions=0",
            "optimizer=em",       "train.epochs=30",       "train.early_stopping=0"};
  }

  void train(const std::string& model, const std::vector<std::string>& further = {}) {
    std::ofstream(config_) << "data: simulation\nmodel: " << model << "\n";
    std::vector<std::string> arguments = {config_, "output=" + run_};
    for (const auto& all : {options(), further})
      arguments.insert(arguments.end(), all.begin(), all.end());
    const testing::ProgramOutcome trained = run_in_process(arguments);
    ASSERT_EQ(trained.code, 0) << trained.error;
  }

  testing::ProgramOutcome relevance(const std::vector<std::string>& further = {}) {
    std::vector<std::string> arguments = {"relevance", run_, "--output", csv_};
    arguments.insert(arguments.end(), further.begin(), further.end());
    return run_in_process(arguments);
  }

  /// The fields of each line of the file.
  std::vector<std::vector<std::string>> lines() const {
    std::vector<std::vector<std::string>> all;
    std::ifstream file(csv_);
    for (std::string line; std::getline(file, line);) {
      all.emplace_back();
      std::istringstream fields(line);
      for (std::string field; std::getline(fields, field, ',');) all.back().push_back(field);
    }
    return all;
  }

  const testing::TemporaryFolder folder_;
  const std::string config_ = (folder_.path() / "config.yaml").string(),
                    run_ = (folder_.path() / "run").string(),
                    csv_ = (folder_.path() / "relevance.csv").string();
};

TEST_F(RelevanceTest, HasIntervalsOfPairsAndOfPositions) {
  train("pbm");
  const testing::ProgramOutcome outcome = relevance();
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.output, HasSubstr("position bias relative to position 1"));
  EXPECT_THAT(outcome.output, HasSubstr("   1  1.0000  1.0000 to 1.0000\n"));
  const auto table = lines();
  ASSERT_EQ(table.size(), 26u);
  EXPECT_EQ(table[0][3], "lower");
  EXPECT_EQ(table[0][4], "upper");
  double impressions = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const double relevance = std::stod(table[i][2]), lower = std::stod(table[i][3]),
                 upper = std::stod(table[i][4]);
    EXPECT_LE(lower, relevance * 1.001);
    EXPECT_GE(upper, relevance * 0.999);
    EXPECT_LT(upper - lower, 0.9);
    impressions += std::stod(table[i][5]);
  }
  EXPECT_EQ(impressions, 8000);
}

TEST_F(RelevanceTest, BootstrapIntervalsAreLikeThoseOfTheLikelihood) {
  train("dctr");
  ASSERT_EQ(relevance().code, 0);
  const auto likelihood = lines();
  ASSERT_EQ(relevance({"--bootstrap", "100"}).code, 0);
  const auto bootstrap = lines();
  double widths = 0, of_bootstrap = 0;
  for (std::size_t i = 1; i < likelihood.size(); ++i) {
    widths += std::stod(likelihood[i][4]) - std::stod(likelihood[i][3]);
    of_bootstrap += std::stod(bootstrap[i][4]) - std::stod(bootstrap[i][3]);
  }
  EXPECT_NEAR(of_bootstrap / widths, 1, 0.1);
}

TEST_F(RelevanceTest, SharedRowsHaveNoIntervals) {
  train("{type: pbm, attraction: {type: embedding, dimension: 2}}", {"optimizer=adam"});
  const testing::ProgramOutcome outcome = relevance();
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("no intervals: 'attraction' does not have one logit"));
  EXPECT_THAT(outcome.error, HasSubstr("; --bootstrap 200 takes them from resamples"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("position bias")));
  EXPECT_EQ(lines().at(1).at(3), "");
  EXPECT_EQ(lines().at(1).at(4), "");
}

TEST_F(RelevanceTest, OfAMixtureHasIntervalsOfResamplesOnly) {
  train("{type: mixture, components: [pbm, dctr]}", {"optimizer=adam"});
  const testing::ProgramOutcome outcome = relevance();
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("no intervals: relevance is a sum over alternatives"));
  EXPECT_EQ(lines().at(1).at(3), "");
  ASSERT_EQ(relevance({"--bootstrap", "3"}).code, 0);
  EXPECT_NE(lines().at(1).at(3), "");
}

TEST_F(RelevanceTest, OfATowerHasNoIntervals) {
  std::ofstream(config_) << "data: {format: feature_lists, reader: {type: synthetic, "
                            "train_queries: 20, valid_queries: 0, test_queries: 0}, "
                            "learn_from: {type: simulated_clicks, sessions: 500}}\n"
                            "loss: naive\nthreads: 1\ntrain: {epochs: 1}\n";
  const testing::ProgramOutcome trained = run_in_process({config_, "output=" + run_});
  ASSERT_EQ(trained.code, 0) << trained.error;
  const testing::ProgramOutcome outcome = relevance();
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("no intervals: "));
  EXPECT_THAT(outcome.error, Not(HasSubstr("--bootstrap")));
  EXPECT_GT(lines().size(), 20u);
  EXPECT_EQ(lines().at(1).at(3), "");
  EXPECT_NE(lines().at(1).at(2), lines().at(2).at(2));
}

TEST_F(RelevanceTest, RefusesAModelThatDoesNotTellPairsApart) {
  train("rctr");
  const testing::ProgramOutcome outcome = relevance();
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.error, HasSubstr("does not tell single query-document pairs apart"));
}

}  // namespace
}  // namespace ultr::relevance_test
