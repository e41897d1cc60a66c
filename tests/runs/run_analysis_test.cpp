#include "runs/run_analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "experiment/task.h"
#include "runs/results/run_results.h"
#include "testing/listening_fixture.h"
#include "testing/temporary_folder.h"
#include "training/run_files.h"

namespace ultr::run_analysis_test {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using testing::read_text;
using testing::TemporaryFolder;

/// The sum of a few numbers and the seed, unless that is forbidden.
struct SumAnalysis final : Task {
  std::vector<double> numbers = {1, 2};
  double most = 100;

  void fields(Fields& f) override {
    f.numbers("numbers", numbers, "What is added.", {});
    f.number("most", most, "Fails above.", {});
  }
  void check() const override {
    if (numbers.empty()) throw ConfigError("analysis.numbers is empty; expected some");
  }
  TaskResults run(const TaskContext& context) override {
    double sum = static_cast<double>(context.seed);
    for (const double number : numbers) sum += number;
    if (sum > most) throw Error("the sum is too large");
    return {.json = {{"sum", sum}, {"numbers", numbers}, {"threads", context.threads}}};
  }
};

class RunAnalysisTest : public testing::ListeningFixture {
 protected:
  int run(std::vector<std::string> overrides = {}, Action action = Action::run) {
    overrides.push_back("output=" + output_.string());
    return listen([&](Registry& registry) {
      registry.add_analysis(option_type<SumAnalysis>("sum", "Adds."));
      return run_experiment(config_, overrides, action, registry);
    });
  }
  int run_config(const std::string& text) {
    config_ = folder_.write("other.yaml", text);
    return run();
  }

  TemporaryFolder folder_;
  fs::path output_ = folder_.path() / "out";
  fs::path config_ = folder_.write("sum.yaml", "{threads: 1, analysis: {type: sum}}");
};

TEST_F(RunAnalysisTest, WritesTheFilesOfARun) {
  ASSERT_EQ(run({"seed=4", "analysis.numbers=[10,20]"}), 0) << warned_;
  const auto results = nlohmann::json::parse(read_text(output_ / results_file));
  EXPECT_EQ(results["sum"], 4 + 10 + 20);
  EXPECT_EQ(results["threads"], 1);
  EXPECT_EQ(results["name"], "sum");
  EXPECT_EQ(results["seed"], 4);
  EXPECT_THAT(read_text(output_ / "report.html"), HasSubstr("numbers"));

  // The saved configuration gives the same results again.
  config_ = output_ / config_file;
  output_ = folder_.path() / "again";
  ASSERT_EQ(run(), 0) << warned_;
  EXPECT_EQ(nlohmann::json::parse(read_text(output_ / results_file))["sum"], 4 + 10 + 20);
}

TEST_F(RunAnalysisTest, SweepsContinueAfterAFailure) {
  EXPECT_EQ(run({"seed=1,2", "analysis.most=1,100"}), 1);
  EXPECT_EQ(read_text(output_ / "seed=2,analysis.most=1" / failure_file), "the sum is too large\n");
  const std::vector<fs::path> folders = {output_};
  const std::vector<RunResults> runs = read_runs(folders);
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[3].metrics.at("sum"), 2 + 1 + 2);
  EXPECT_TRUE(fs::exists(output_ / "comparison.html"));
}

TEST_F(RunAnalysisTest, ErrorsAreFoundBeforeAnythingIsCreated) {
  EXPECT_EQ(run({"analysis.numbers=[]"}), 2);
  EXPECT_THAT(warned_, HasSubstr("analysis.numbers is empty"));
  EXPECT_EQ(run({"analysis.numbrs=[]"}), 2);
  EXPECT_THAT(warned_, HasSubstr("did you mean 'analysis.numbers'?"));
  EXPECT_EQ(run({"analysis.type=smu"}), 2);
  EXPECT_THAT(warned_, HasSubstr("(did you mean 'sum'?)"));
  EXPECT_EQ(run({}, Action::check_gradients), 2);
  EXPECT_THAT(warned_, HasSubstr("sum is an analysis (sum)"));
  EXPECT_EQ(run_config("{analysis: sum, data: {format: simulation}}"), 2);
  EXPECT_THAT(warned_, HasSubstr("other.yaml:1:17: data stands beside an analysis; expected one"));
  EXPECT_EQ(run_config("{analysis: {numbers: [1]}}"), 2);
  EXPECT_THAT(warned_, HasSubstr("other.yaml:1:12: analysis.type is missing"));
  EXPECT_EQ(run({"analysis.type=sum", "analysis.most=0"}), 1);
  EXPECT_FALSE(fs::exists(output_));
  EXPECT_EQ(run({"analysis.type=sum"}, Action::dry_run), 0);
  EXPECT_THAT(said_, HasSubstr("numbers: [1]"));
  EXPECT_FALSE(fs::exists(output_));
}

}  // namespace
}  // namespace ultr::run_analysis_test
