#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_fixture.h"

namespace ultr::ultr_run_compare_test {
namespace {

using ::testing::AllOf;
using testing::Finished;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_text;
using ::testing::StartsWith;

class UltrRunCompareTest : public testing::UltrRun {
 protected:
  UltrRunCompareTest() {
    folder_.write(
        "tiny.yaml",
        "data: {format: simulation, sessions: 300, valid_sessions: 0, test_sessions: 100,\n"
        "       queries: 5, candidates: 6, positions: 4}\n"
        "train: {epochs: 1}\n");
  }
};

TEST_F(UltrRunCompareTest, CompareReproducesTheTableOfASweep) {
  const std::string said = run_well({"tiny.yaml", "model.type=pbm,dctr", "seed=1,2"});
  const std::string table = run_well({"compare", "runs/tiny/1", "--output", "again"});
  EXPECT_THAT(table, StartsWith("test.cond_ppl, lower is better\nmodel.type  runs"));
  EXPECT_THAT(said, HasSubstr("comparison in runs/tiny/1/comparison.html\n"));
  EXPECT_THAT(read_text(path("again/comparison.html")), HasSubstr("<svg"));
  // Rows stand in the order in which runs are given; the sweep's is that of its values.
  const std::string row = "pbm            2  ";
  EXPECT_EQ(said.substr(said.find(row), said.find('\n', said.find(row)) - said.find(row)),
            table.substr(table.find(row), table.find('\n', table.find(row)) - table.find(row)));
}

TEST_F(UltrRunCompareTest, TakesMetricsAndABaseline) {
  run_well({"tiny.yaml", "model.type=pbm,dctr", "output=sweep"});
  const std::string table =
      run_well({"compare", "--metric", "test.ll", "sweep/model.type=pbm", "sweep/model.type=dctr",
                "--metric=test.loss", "--baseline", "sweep/model.type=dctr"});
  EXPECT_THAT(table,
              AllOf(HasSubstr("test.ll, higher is better"), HasSubstr("test.loss, lower is better"),
                    HasSubstr("baseline"), HasSubstr("5 queries"), Not(HasSubstr("cond_ppl"))));
}

TEST_F(UltrRunCompareTest, ErrorsAreOneLine) {
  run_well({"tiny.yaml", "output=run"});
  std::filesystem::create_directory(path("damaged"));
  folder_.write("damaged/config.yaml", "seed: 1\n");
  folder_.write("damaged/results.json", "{");
  const auto expect_error = [&](const std::vector<std::string>& arguments, int exit_code,
                                const std::string& message) {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, exit_code) << finished.errors;
    EXPECT_THAT(finished.errors, AllOf(StartsWith("error: "), HasSubstr(message)));
    EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1);
    EXPECT_EQ(finished.output, "");
  };
  expect_error({"compare"}, 2, "runs is required");
  expect_error({"compare", "nowhere"}, 2, "nowhere: there is no such folder");
  expect_error({"compare", "."}, 3, "damaged/results.json: is damaged");
  expect_error({"compare", "run", "--metric", "test.cond_pl"}, 2, "did you mean 'test.cond_ppl'?");
  expect_error({"compare", "run", "--unknown"}, 2, "--unknown");
}

}  // namespace
}  // namespace ultr::ultr_run_compare_test
