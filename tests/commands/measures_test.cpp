#include "runs/results/measures.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/built_in_registry.h"
#include "commands/listings.h"
#include "experiment/run_directory.h"
#include "report/html.h"
#include "runs/results/run_report.h"
#include "runs/test_queries.h"
#include "studies/comparison/comparison.h"
#include "testing/run_folders.h"
#include "testing/small_log.h"
#include "testing/temporary_folder.h"

namespace ultr::measures_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

/// The files of a run on simulated data, which a test measures by the tables that it chooses.
class EveryMeasureTest : public ::testing::Test {
 protected:
  void measure(std::span<const ClickMeasure> clicks, std::span<const RankingMeasure> rankings) {
    const Dataset& dataset = data_.dataset;
    const TrainableModel model = testing::model_for("dbn", dataset);
    result_.test = evaluate_clicks(model, dataset.test, LossMean::documents, 1);
    result_.test->measures = clicks;
    result_.training.epochs = {
        {.epoch = 1, .valid = ValidationScores(*result_.test), .seconds = 1}};
    result_.peak_memory = 1;
    result_.cmip = 0.25;
    result_.policy_kendall_tau = 0.5;
    result_.position_bias = result_.true_position_bias =
        PositionBias{.additive = true, .by_rank = {0, -1}};
    lists_.add(std::array{1u, 2u}, std::array{0, 1}, 7);
    result_.ranking.emplace(RankingOptions{.cutoffs = {1, 10}}, rankings);
    result_.ranking->add(std::array{2.0, 1.0}, std::array{0, 1});
    json_ = json::parse(results_json(result_));
    page_ = render_report(run_report(result_));
    rankings_csv_ = query_rankings_csv(lists_, *result_.ranking);
    const RunDirectory folder(folder_.path().string(), "run");
    folder.write_metrics(result_.training.epochs, clicks);
    metrics_csv_ = testing::read_text(folder_.path() / "metrics.csv");
  }

  void expect_click_measure(const ClickMeasure& measure) const {
    const std::string name(measure.name);
    EXPECT_TRUE(json_["test"].contains(name)) << name;
    const bool number = std::holds_alternative<ClickMeasure::Number>(measure.compute);
    EXPECT_EQ(metrics_csv_.find(",valid_" + name + ",") != std::string::npos, number) << name;
    std::string column = name;
    if (std::holds_alternative<ClickMeasure::PerRank>(measure.compute)) {
      column = name.substr(0, name.size() - std::string_view("_per_rank").size());
      if (measure.better == Better::neither) std::replace(column.begin(), column.end(), '_', ' ');
    }
    if (!std::holds_alternative<ClickMeasure::Count>(measure.compute)) {
      EXPECT_THAT(page_, HasSubstr(">" + column + "</th>"));
    }
  }

  void expect_ranking_measure(const RankingMeasure& measure) const {
    for (const std::string& name : names_of(measure)) {
      EXPECT_TRUE(json_["test"]["ranking"].contains(name)) << name;
      EXPECT_THAT(rankings_csv_.substr(0, rankings_csv_.find('\n')) + ",",
                  HasSubstr("," + name + ","));
      EXPECT_THAT(page_, HasSubstr(">" + name + "</td>"));
    }
  }

  static std::vector<std::string> names_of(const RankingMeasure& measure) {
    const std::string name(measure.name);
    if (!measure.has_cutoff()) return {name};
    const std::string start = name.substr(0, name.size() - 1);
    return {start + "1", start + "10"};
  }

  ExperimentData data_ = testing::small_simulation();
  testing::TemporaryFolder folder_;
  JudgedLists lists_;
  RunResult result_;
  json json_;
  std::string page_, rankings_csv_, metrics_csv_;
};

TEST_F(EveryMeasureTest, IsInTheFilesOfARun) {
  measure(click_measures(), ranking_measures());
  for (const ClickMeasure& measure : click_measures()) expect_click_measure(measure);
  for (const RankingMeasure& measure : ranking_measures()) expect_ranking_measure(measure);
  for (const RunMeasure& measure : run_measures())
    EXPECT_TRUE(json_.contains(std::string(measure.name))) << measure.name;
  for (const RankingCount& count : ranking_counts)
    EXPECT_TRUE(json_["test"]["ranking"].contains(std::string(count.name))) << count.name;
  EXPECT_TRUE(json_["position_bias"].contains("error"));
}

TEST_F(EveryMeasureTest, IsInATableIfItIsInResults) {
  measure(click_measures(), ranking_measures());
  // Keys that describe the run, and sections.
  std::vector<std::string> known = {"name",      "model", "version", "seed",
                                    "processes", "test",  "ranking", "position_bias"};
  for (const MeasureGroup& group : all_measures())
    for (const Measure& measure : group.measures) known.emplace_back(measure.name);
  for (const RankingMeasure& measure : ranking_measures())
    for (const std::string& name : names_of(measure)) known.push_back(name);
  for (const json& section : {json_, json_["test"], json_["test"]["ranking"]})
    for (const auto& [key, value] : section.items()) EXPECT_THAT(known, Contains(key));
}

TEST_F(EveryMeasureTest, IsListedWithItsDirection) {
  const std::string list = list_components(built_in_registry());
  for (const MeasureGroup& group : all_measures())
    for (const Measure& measure : group.measures) {
      const char* direction = measure.better == Better::higher  ? "↑"
                              : measure.better == Better::lower ? "↓"
                                                                : "";
      const std::string shown = fmt::format("  {}: {}{}", measure.name, measure.help, direction);
      EXPECT_THAT(list, ::testing::AnyOf(HasSubstr(shown + "\n"),  // short ones share a line
                                         HasSubstr(shown + ".  ")));
    }
}

TEST_F(EveryMeasureTest, IsComparedInItsDirection) {
  measure(click_measures(), ranking_measures());
  const testing::RunFolders runs;
  const fs::path run = runs.add("run", "seed: 1", results_json(result_));
  const auto expect_direction = [&](const std::string& path, Better better) {
    const Comparison comparison =
        compare(read_runs(std::array{run}), {.metrics = {path}, .require_metrics = false});
    EXPECT_EQ(comparison.metrics.at(0).higher_is_better, better != Better::lower) << path;
  };
  for (const ClickMeasure& measure : click_measures()) {
    const bool per_rank = std::holds_alternative<ClickMeasure::PerRank>(measure.compute);
    expect_direction(fmt::format("test.{}{}", measure.name, per_rank ? ".1" : ""), measure.better);
  }
  for (const RankingMeasure& measure : ranking_measures())
    for (const std::string& name : names_of(measure))
      expect_direction("test.ranking." + name, measure.better);
  for (const RunMeasure& measure : run_measures())
    expect_direction(std::string(measure.name), measure.better);
  expect_direction("position_bias.error", Better::lower);
}

TEST_F(EveryMeasureTest, PairsQueriesByAColumnThatExists) {
  for (const ClickMeasure& measure : click_measures())
    if (!measure.query_column.empty()) {
      EXPECT_THAT(session_header() + ",", HasSubstr(fmt::format(",{},", measure.query_column)));
    }
}

TEST_F(EveryMeasureTest, NeedsOneRowOnly) {
  std::vector<ClickMeasure> clicks(click_measures().begin(), click_measures().end());
  clicks.push_back({{"doubled_ppl", "twice ppl", Better::lower},
                    [](const ClickEvaluation& e) { return 2 * e.unconditional.perplexity(); }});
  clicks.push_back({{"ones_per_rank", "1 at each rank"}, [](const ClickEvaluation& e) {
                      return std::vector<double>(e.conditional.ranks(), 1);
                    }});
  std::vector<RankingMeasure> rankings(ranking_measures().begin(), ranking_measures().end());
  rankings.push_back(
      {{"worst@K", "0 at best", Better::lower},
       [](const RankedLabels&, std::size_t k, Gain) { return static_cast<double>(k); }});
  measure(clicks, rankings);
  for (const ClickMeasure& measure : clicks) expect_click_measure(measure);
  for (const RankingMeasure& measure : rankings) expect_ranking_measure(measure);
  EXPECT_EQ(json_["test"]["doubled_ppl"], 2 * result_.test->unconditional.perplexity());
  EXPECT_EQ(json_["test"]["ranking"]["worst@10"], 10);
  const std::vector<MeasureGroup> groups = {{"clicks", {clicks.begin(), clicks.end()}},
                                            {"rankings", {rankings.begin(), rankings.end()}}};
  EXPECT_EQ(better_of("test.ranking.worst@3", groups), Better::lower);
  EXPECT_EQ(better_of("test.doubled_ppl", groups), Better::lower);
}

TEST(BetterOfTest, UnderstandsPathsInResults) {
  EXPECT_EQ(better_of("valid.ppl_per_rank.12"), Better::lower);
  EXPECT_EQ(better_of("logging_policy.ndcg@10"), Better::higher);
  EXPECT_EQ(better_of("logging_policy.arp"), Better::lower);
  EXPECT_EQ(better_of("earlier_stages.1.seconds"), Better::lower);
  EXPECT_EQ(better_of("truth.examination_per_rank.2"), Better::neither);
  EXPECT_EQ(better_of("test.unknown"), Better::neither);
  EXPECT_EQ(better_of("test.not_ppl"), Better::neither) << "only whole names count";
  EXPECT_EQ(better_of("policy.error"), Better::neither);
  EXPECT_EQ(better_of("3"), Better::neither);
  EXPECT_EQ(better_of(""), Better::neither);
}

}  // namespace
}  // namespace ultr::measures_test
