#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"
#include "data/formats/propensities.h"
#include "testing/golden.h"

namespace ultr::ultr_run_bias_test {
namespace {

using ::testing::AllOf;
using testing::Finished;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_text;
using ::testing::StartsWith;

constexpr const char* methods[] = {"ctr", "adjacent_chain", "pivot", "all_pairs", "regression_em"};

class UltrRunBiasTest : public testing::UltrRun {
 protected:
  UltrRunBiasTest() {
    folder_.write("tiny.yaml",
                  "data: {format: simulation, sessions: 2000, queries: 5, candidates: 6,\n"
                  "       positions: 4, ranking_noise: 3}\n"
                  "threads: 2\n");
    // Each document has one rank.
    folder_.write("fixed.yaml", "data: {format: tiangong, train: log.txt, test: gone.txt}\n");
    folder_.write("log.txt",
                  "1\t7\t[5, 6]\t[1, 1]\t[1, 1]\n"
                  "2\t7\t[5, 6]\t[1, 1]\t[1, 0]\n");
  }
};

TEST_F(UltrRunBiasTest, PrintsATableAndWritesEveryMethod) {
  const std::string said = run_well({"estimate-bias", "tiny.yaml", "--output", "bias"});
  EXPECT_THAT(said, StartsWith("rank  "));
  EXPECT_THAT(said, AllOf(HasSubstr("truth"), HasSubstr("\n   4  "), Not(HasSubstr("\n   5  "))));
  for (const char* method : methods) {
    EXPECT_THAT(said, HasSubstr(method));
    const auto file = path("bias") / (std::string("propensities_") + method + ".csv");
    EXPECT_THAT(read_text(file), StartsWith(std::string("position,") + method + "\n1,1\n2,0."));
    EXPECT_EQ(read_propensities(file).size(), 4u);
  }
  EXPECT_THAT(read_text(path("bias/position_bias.svg")), StartsWith("<svg"));
  EXPECT_THAT(read_text(path("bias/report.html")), HasSubstr("Position bias of tiny"));
}

TEST_F(UltrRunBiasTest, TakesChosenMethodsAndOverrides) {
  const std::string said =
      run_well({"estimate-bias", "tiny.yaml", "data.positions=3", "--method", "all_pairs",
                "--method=pivot", "--pivot", "3", "--resamples", "0"});
  EXPECT_THAT(said,
              StartsWith("rank   pivot  all_pairs   truth\n   1  1.0000     1.0000  1.0000\n"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 4);
}

TEST_F(UltrRunBiasTest, AnyNumberOfThreadsGivesTheSameFiles) {
  for (const char* threads : {"1", "2"})
    run_well({"estimate-bias", "tiny.yaml", std::string("threads=") + threads, "--resamples=9",
              "--passes=20", "--output", std::string("bias") + threads});
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("bias1"))) {
    EXPECT_EQ(read_text(entry.path()), read_text(path("bias2") / entry.path().filename()));
    ++files;
  }
  EXPECT_EQ(files, std::size(methods) + 2);
}

TEST_F(UltrRunBiasTest, ReadsTrainingSessionsOnlyAndNotesIfNothingCanBeHarvested) {
  const Finished finished = run({"estimate-bias", "fixed.yaml", "-o", "bias", "--resamples=0"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(finished.output,
            "rank     ctr\n"
            "   1  1.0000\n"
            "   2  0.5000\n"
            "propensities, position_bias.svg and report.html in bias\n");
  EXPECT_THAT(finished.errors, HasSubstr("so that there is nothing to harvest\n"));
  EXPECT_TRUE(std::filesystem::exists(path("bias/propensities_ctr.csv")));
  EXPECT_FALSE(std::filesystem::exists(path("bias/propensities_pivot.csv")));
}

TEST_F(UltrRunBiasTest, ErrorsAreOneLine) {
  constexpr int usage = 2, wrong_data = 3;
  std::filesystem::create_directory(path("full"));
  folder_.write("full/file", "");
  expect_error({"estimate-bias"}, usage, "config is required");
  expect_error({"estimate-bias", "gone.yaml"}, usage, "gone.yaml: cannot be read");
  expect_error({"estimate-bias", "tiny.yaml", "--method", "rem"}, usage,
               "there is no method 'rem'; expected one of ctr, ");
  expect_error({"estimate-bias", "tiny.yaml", "--pivot", "0"}, usage,
               "--pivot: pivot is '0'; expected a whole number at least 1");
  expect_error({"estimate-bias", "tiny.yaml", "--pivot", "5"}, usage, "expected one from 1 to 4");
  expect_error({"estimate-bias", "tiny.yaml", "seed=1,2"}, usage, "expected one value");
  expect_error({"estimate-bias", "tiny.yaml", "data.sesions=9"}, usage, "data.sessions");
  expect_error({"estimate-bias", "tiny.yaml", "-o", "full"}, usage, "full is not empty");
  expect_error({"estimate-bias", "fixed.yaml", "data.train=gone.txt"}, wrong_data,
               "gone.txt: there is no such file");
  expect_error({"estimate-bias", "fixed.yaml", "--method", "pivot", "-o", "bias"}, wrong_data,
               "nothing can be estimated: pivot: no query-document pair");
  folder_.write("log.txt", "1\t7\t[5, 6]\t[1, 1]\t[1]\n");
  expect_error({"estimate-bias", "fixed.yaml", "-o", "bias"}, wrong_data, "log.txt:1: ");
}

class UltrRunBiasDataTest : public UltrRunBiasTest {};

TEST_F(UltrRunBiasDataTest, EstimatesTheBiasOfTianGong) {
  ULTR_NEEDS_DATA();
  setenv("ULTR_DATA_DIR", testing::data_folder()->c_str(), 1);
  run_well({"estimate-bias",
            (std::filesystem::path(ULTR_SOURCE_DIR) / "configs/tiangong/pbm.yaml").string(),
            "--method=ctr", "--method=all_pairs", "--resamples=20", "-o", "bias"});
  const Propensities ctr = read_propensities(path("bias/propensities_ctr.csv"));
  ASSERT_EQ(ctr.size(), 10u);
  for (std::size_t k = 1; k < ctr.size(); ++k) EXPECT_LE(ctr[k], ctr[k - 1]);
  EXPECT_EQ(read_propensities(path("bias/propensities_all_pairs.csv")).size(), 10u);
}

}  // namespace
}  // namespace ultr::ultr_run_bias_test
