#include <fstream>
#include <set>
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

  /// Expects intervals of some width for all pairs, and most estimates in theirs.
  void expect_intervals() const {
    const auto table = lines();
    std::size_t inside = 0;
    for (std::size_t i = 1; i < table.size(); ++i) {
      const double relevance = std::stod(table[i][2]), lower = std::stod(table[i][3]),
                   upper = std::stod(table[i][4]);
      EXPECT_LT(lower, upper) << i;
      EXPECT_LT(upper - lower, 0.9) << i;
      inside += lower <= relevance && relevance <= upper ? 1 : 0;
    }
    EXPECT_GT(2 * inside, table.size());
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

/// Models that a resample's epochs change further, whether its sessions differ or not.
class UnfinishedRelevanceTest : public RelevanceTest,
                                public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, UnfinishedRelevanceTest,
                         ::testing::Values("pbm", "two_tower", "ubm",
                                           "{type: mixture, components: [pbm, dctr]}"));

TEST_P(UnfinishedRelevanceTest, BootstrapIntervalsLieAboutTheEstimates) {
  train(GetParam(), {"optimizer={type: adam, lr: 0.05}", "train.epochs=10"});
  ASSERT_EQ(relevance({"--bootstrap", "20"}).code, 0);
  int above = 0, below = 0;
  const auto table = lines();
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (std::stod(table[i][3]) > std::stod(table[i][2])) ++above;
    if (std::stod(table[i][4]) < std::stod(table[i][2])) ++below;
  }
  EXPECT_LT(above, 5) << "of " << table.size();
  EXPECT_LT(below, 5);
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

TEST_F(RelevanceTest, SharedRowsHaveIntervalsOfResamples) {
  train("{type: pbm, attraction: {type: embedding, compression: hash, ratio: 2}}",
        {"optimizer=adam", "optimizer.lr=0.05", "train.epochs=100"});
  const testing::ProgramOutcome outcome = relevance();
  EXPECT_THAT(outcome.error, HasSubstr("no intervals: 'attraction' does not have one logit"));
  EXPECT_THAT(outcome.error, HasSubstr("; --bootstrap 200 takes them from resamples"));
  EXPECT_EQ(lines().at(1).at(3), "");
  ASSERT_EQ(relevance({"--bootstrap", "10"}).code, 0);
  expect_intervals();
}

/// Losses over features: a network, trees, and two towers that are trained one after the other.
class TowerRelevanceTest : public RelevanceTest,
                           public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(
    All, TowerRelevanceTest,
    ::testing::Values("{type: naive}",
                      "{type: dla, relevance: {type: boosted_trees, rounds: 3, leaves: 8}}",
                      "{type: backdoor}"));

TEST_P(TowerRelevanceTest, HasIntervalsOfResamplesOnly) {
  std::ofstream(config_) << "data: {format: feature_lists, reader: {type: synthetic, "
                            "train_queries: 20, valid_queries: 5, test_queries: 5}, "
                            "learn_from: {type: simulated_clicks, sessions: 500}}\n"
                            "loss: "
                         << GetParam() << "\nthreads: 1\ntrain: {epochs: 3, batch_size: 50}\n";
  const testing::ProgramOutcome trained = run_in_process({config_, "output=" + run_});
  ASSERT_EQ(trained.code, 0) << trained.error;
  const testing::ProgramOutcome outcome = relevance();
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("no intervals: "));
  EXPECT_THAT(outcome.error, HasSubstr("; --bootstrap 200 takes them from resamples"));
  EXPECT_GT(lines().size(), 20u);
  EXPECT_EQ(lines().at(1).at(3), "");
  std::set<std::string> values;
  for (const auto& line : lines()) values.insert(line.at(2));
  EXPECT_GT(values.size(), 5u) << "of relevance";
  const testing::ProgramOutcome resampled = relevance({"--bootstrap", "20"});
  ASSERT_EQ(resampled.code, 0) << resampled.error;
  expect_intervals();
}

/// A run that keeps an early epoch has the intervals of that epoch, not of the last one.
TEST_F(RelevanceTest, TowersAreTrainedAsLongAsTheRun) {
  std::ofstream(config_) << "data: {format: feature_lists, reader: {type: synthetic, "
                            "train_queries: 20, valid_queries: 0, test_queries: 0}, "
                            "learn_from: {type: simulated_clicks, sessions: 500}}\n"
                            "loss: naive\nthreads: 1\ntrain: {epochs: 2, batch_size: 50}\n";
  ASSERT_EQ(run_in_process({config_, "output=" + run_}).code, 0);
  ASSERT_EQ(relevance({"--bootstrap", "3"}).code, 0);
  const auto of_two_epochs = lines();
  const std::string saved = run_ + "/config.yaml";
  std::ostringstream text;
  text << std::ifstream(saved).rdbuf();
  std::string config = text.str();
  const std::size_t at = config.find("epochs: 2");
  ASSERT_NE(at, std::string::npos);
  std::ofstream(saved) << config.replace(at, 9, "epochs: 7");
  ASSERT_EQ(relevance({"--bootstrap", "3"}).code, 0);
  EXPECT_EQ(lines(), of_two_epochs);
}

/// The file is tried before the data of the run are read, which are gone here.
TEST_F(RelevanceTest, AFileThatCannotBeWrittenIsFoundBeforeTheWork) {
  const std::string log =
      folder_.write("clicks.csv", "session,query,document,position,click\ns,q,d,1,1\n").string();
  std::ofstream(config_) << "data: {format: table, train: " << log << "}\nmodel: dctr\n";
  ASSERT_EQ(run_in_process({config_, "output=" + run_}).code, 0);
  std::filesystem::remove(log);
  const testing::ProgramOutcome outcome = run_in_process(
      {"relevance", run_, "--output", (folder_.path() / "none/relevance.csv").string()});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.error, HasSubstr("none/relevance.csv: "));
}

TEST_F(RelevanceTest, RefusesAModelThatDoesNotTellPairsApart) {
  train("rctr");
  const testing::ProgramOutcome outcome = relevance();
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.error, HasSubstr("does not tell single query-document pairs apart"));
}

}  // namespace
}  // namespace ultr::relevance_test
