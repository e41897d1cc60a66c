#include "studies/comparison/comparison_output.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ultr::comparison_output_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

RunResults run(const std::string& type, std::int64_t seed, double ppl) {
  return {.folder = "runs/" + type + std::to_string(seed),
          .name = "experiment",
          .options = {{"type", type}},
          .seed = seed,
          .metrics = {{"test.ppl", ppl}}};
}

/// Three seeds of a and b, and one of c that failed.
Comparison example() {
  std::vector<RunResults> runs;
  for (const std::int64_t seed : {1, 2, 3}) {
    runs.push_back(run("a", seed, 1.5 + 0.001 * static_cast<double>(seed)));
    runs.push_back(run("b", seed, 1.25 + 0.002 * static_cast<double>(seed)));
  }
  RunResults failed = run("c, or so", 1, 0);
  failed.metrics.clear();
  failed.failure = "the loss is not finite";
  runs.push_back(failed);
  return compare(runs, {});
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

TEST(ComparisonOutputTest, TextHasOneRowPerConfiguration) {
  const std::vector<std::string> text = lines(comparison_text(example()));
  EXPECT_EQ(text[0], "test.ppl, lower is better");
  EXPECT_THAT(text[1], StartsWith("type      runs"));
  EXPECT_THAT(text[2], StartsWith("b            3  1.25400 [1.25200, 1.25600]"));
  EXPECT_THAT(text[2], ::testing::EndsWith("best"));
  // Differences 0.249, 0.248, 0.247.
  EXPECT_THAT(text[3], StartsWith("a            3  1.50200 [1.50100, 1.50300]  "
                                  "+0.24800 [+0.24700, +0.24900]  3 seeds  <0.0001      "
                                  "<0.0001  ***"));
  EXPECT_THAT(text[4], StartsWith("c, or so     0"));
  EXPECT_THAT(text[4], ::testing::EndsWith("no result"));
  EXPECT_EQ(text.back(), "runs/c, or so1: the loss is not finite");
}

TEST(ComparisonOutputTest, TextOfASingleRunHasNoTests) {
  const std::string text = comparison_text(compare({run("a", 1, 1.5)}, {}));
  EXPECT_THAT(text, StartsWith("test.ppl, lower is better\n"
                               "experiment  runs  test.ppl\n"
                               "experiment     1   1.50000\n"));
  EXPECT_THAT(text, Not(HasSubstr("t-test")));
}

TEST(ComparisonOutputTest, TheSelectedRunIsNamedWithItsMetrics) {
  std::vector<RunResults> runs = {run("a", 1, 1.5), run("b", 1, 1.25)};
  runs[0].metrics["valid.cond_ppl"] = 1.125;
  runs[1].metrics["valid.cond_ppl"] = 1.25;
  const Comparison comparison = compare(runs, {});
  const std::string line =
      "Selected on validation sessions: type=a. Its best run: runs/a1, with valid.cond_ppl "
      "1.12500, test.ppl 1.50000.";
  EXPECT_EQ(lines(comparison_text(comparison)).back(), line);
  EXPECT_THAT(comparison_text(comparison), HasSubstr("  selected\n"));
  const auto json = nlohmann::json::parse(comparison_json(comparison));
  EXPECT_EQ(json["selection"]["run"], "runs/a1");
  EXPECT_EQ(json["metrics"][0]["baseline_is"], "selected");
}

TEST(ComparisonOutputTest, CsvHasOneRowPerMetricAndConfiguration) {
  const std::vector<std::string> csv = lines(comparison_csv(example()));
  ASSERT_THAT(csv, SizeIs(1 + 3));
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  EXPECT_THAT(csv[0],
              StartsWith("metric,configuration,type,runs,failed,mean,lower,upper,verdict,"));
  EXPECT_THAT(csv[1], StartsWith("test.ppl,type=a,a,3,0,1.502"));
  EXPECT_THAT(csv[2], StartsWith("test.ppl,type=b,b,3,0,1.254"));
  EXPECT_THAT(csv[3], StartsWith("test.ppl,\"type=c, or so\",\"c, or so\",0,1,,,,no result,"));
  EXPECT_EQ(commas(csv[1]), commas(csv[0]));
  EXPECT_EQ(commas(csv[2]), commas(csv[0]));
  EXPECT_EQ(commas(csv[3]), commas(csv[0]) + 2) << "two within quotes";
}

TEST(ComparisonOutputTest, JsonHasAllNumbers) {
  const Comparison comparison = example();
  const auto json = nlohmann::json::parse(comparison_json(comparison));
  EXPECT_EQ(json["keys"], nlohmann::json({"type"}));
  EXPECT_EQ(json["tests"], 1);
  EXPECT_EQ(json["configurations"][2]["runs"][0]["failure"], "the loss is not finite");
  const auto& metric = json["metrics"][0];
  EXPECT_EQ(metric["baseline"], "type=b");
  const auto& a = metric["measurements"][0];
  const DifferenceTest& test = *comparison.metrics[0].measurements[0].test;
  EXPECT_EQ(a["by_seed"]["2"], 1.5 + 0.001 * 2);
  EXPECT_EQ(a["test"]["over"], "seeds");
  EXPECT_EQ(a["test"]["t"], test.t_test.t);
  EXPECT_EQ(a["test"]["corrected_p"], test.corrected_p);
  EXPECT_TRUE(metric["measurements"][2]["mean"].is_null());
  EXPECT_TRUE(metric["measurements"][2]["test"].is_null());
}

TEST(ComparisonOutputTest, IsTheSameEveryTime) {
  EXPECT_EQ(comparison_json(example()), comparison_json(example()));
}

}  // namespace
}  // namespace ultr::comparison_output_test
