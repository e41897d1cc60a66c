#include "studies/comparison/comparison.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/results/measures.h"
#include "testing/errors.h"
#include "testing/not_finite.h"
#include "testing/run_folders.h"

namespace ultr::comparison_test {
namespace {

using testing::config_message;
using testing::data_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::nan;
using testing::RunFolders;

RunResults run(const std::string& type, std::int64_t seed, std::map<std::string, double> metrics) {
  return {.folder = type + std::to_string(seed),
          .name = "experiment",
          .options = {{"type", type}},
          .seed = seed,
          .metrics = std::move(metrics)};
}

/// Runs of one type with seeds 1, 2, ... that measured these perplexities.
std::vector<RunResults> runs(const std::string& type, const std::vector<double>& ppl) {
  std::vector<RunResults> all;
  for (std::size_t i = 0; i < ppl.size(); ++i)
    all.push_back(run(type, static_cast<std::int64_t>(i) + 1, {{"test.ppl", ppl[i]}}));
  return all;
}

std::vector<RunResults> operator+(std::vector<RunResults> a, const std::vector<RunResults>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The two-sided p of Student's t with two degrees of freedom, in closed form.
double p_of_three_pairs(double t) { return 1 - std::abs(t) / std::sqrt(2 + t * t); }

TEST(ComparisonTest, TestsOverSeedsAgainstTheBest) {
  const Comparison c = compare(runs("a", {1.2, 1.4, 1.6}) + runs("b", {1.1, 1.2, 1.3}), {});
  ASSERT_EQ(c.metrics.size(), 1u);
  EXPECT_EQ(c.metrics[0].metric, "test.ppl");
  EXPECT_EQ(c.metrics[0].baseline, 1u);
  const Measurement &a = c.metrics[0].measurements[0], &b = c.metrics[0].measurements[1];
  EXPECT_DOUBLE_EQ(a.mean, (1.2 + 1.4 + 1.6) / 3);
  EXPECT_DOUBLE_EQ(b.mean, (1.1 + 1.2 + 1.3) / 3);
  EXPECT_FALSE(b.test);
  ASSERT_TRUE(a.test);
  EXPECT_EQ(a.test->over, "seeds");
  EXPECT_EQ(a.test->measure, "test.ppl");
  EXPECT_EQ(a.test->pairs, 3u);
  // Differences 0.1, 0.2, 0.3 have mean 0.2 and standard deviation 0.1.
  const double t = 0.2 / (0.1 / std::sqrt(3));
  EXPECT_NEAR(a.test->t_test.t, t, 1e-10);
  EXPECT_NEAR(a.test->t_test.p_value, p_of_three_pairs(t), 1e-12);
  EXPECT_EQ(a.test->corrected_p, a.test->t_test.p_value) << "one test";
}

TEST(ComparisonTest, PairsOnlySeedsInCommon) {
  std::vector<RunResults> all = runs("a", {1, 2, 4, 8});
  for (const std::int64_t seed : {4, 2, 9})
    all.push_back(run("b", seed, {{"test.ppl", 10.0 * static_cast<double>(seed)}}));
  const Comparison c = compare(all, {});
  const Measurement& b = c.metrics[0].measurements[1];
  EXPECT_DOUBLE_EQ(b.mean, (40. + 20 + 90) / 3) << "over all its seeds";
  ASSERT_TRUE(b.test);
  EXPECT_EQ(b.test->pairs, 2u);
  EXPECT_DOUBLE_EQ(b.test->t_test.mean_difference, ((20. - 2) + (40. - 8)) / 2);
}

TEST(ComparisonTest, CorrectsForTheTestsOfAllConfigurationsAndMetrics) {
  std::vector<RunResults> all =
      runs("a", {1.2, 1.4, 1.6}) + runs("b", {1.1, 1.2, 1.3}) + runs("c", {1.9, 1.9, 2.0});
  for (RunResults& one : all) one.metrics["test.cond_ppl"] = one.metrics["test.ppl"];
  const Comparison c = compare(all, {});
  EXPECT_EQ(c.tests, 2u * 2u);
  ASSERT_EQ(c.metrics.size(), 2u);
  for (const MetricComparison& metric : c.metrics)
    for (const std::size_t row : {0, 2}) {
      const DifferenceTest& test = *metric.measurements[row].test;
      EXPECT_DOUBLE_EQ(test.corrected_p, std::min(1.0, 4 * test.t_test.p_value));
    }
}

TEST(ComparisonTest, IntervalsAreThoseOfTheBootstrap) {
  const std::vector<double> a = {1.2, 1.4, 1.7}, b = {1.1, 1.2, 1.3};
  const Comparison c = compare(runs("a", a) + runs("b", b), {});
  const Measurement& measured = c.metrics[0].measurements[0];
  const ConfidenceInterval mean = bootstrap_interval(a);
  ASSERT_TRUE(measured.interval);
  EXPECT_EQ(measured.interval->lower, mean.lower);
  EXPECT_EQ(measured.interval->upper, mean.upper);
  const std::vector<double> differences = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  const ConfidenceInterval difference = bootstrap_interval(differences);
  EXPECT_EQ(measured.test->interval.lower, difference.lower);
  EXPECT_EQ(measured.test->interval.upper, difference.upper);
}

TEST(ComparisonTest, ABaselineMayBeGiven) {
  const auto all = runs("a", {1.2, 1.4, 1.6}) + runs("b", {1.1, 1.2, 1.3});
  const Comparison c = compare(all, {.baseline = "type=a"});
  EXPECT_EQ(c.metrics[0].baseline, 0u);
  EXPECT_NEAR(c.metrics[0].measurements[1].test->t_test.mean_difference, -0.2, 1e-12);
  EXPECT_THAT(config_message([&] { compare(all, {.baseline = "type=c"}); }),
              HasSubstr("baseline 'type=c' is none of the runs"));
}

TEST(ComparisonTest, TheBestIsTheHighestWhereHigherIsBetter) {
  const Comparison c = compare({run("a", 1, {{"test.ll", -0.5}, {"test.ppl", 1}}),
                                run("b", 1, {{"test.ll", -0.4}, {"test.ppl", 2}}),
                                run("c", 1, {{"test.ll", nan}, {"test.ppl", nan}})},
                               {.metrics = {"test.ll", "test.ppl"}});
  EXPECT_EQ(c.metrics[0].baseline, 1u);
  EXPECT_EQ(c.metrics[1].baseline, 0u);
}

TEST(ComparisonTest, KnowsWhichMetricsAreBetterHigh) {
  for (const char* metric : {"test.ll", "test.ranking.ndcg@10", "test.ranking.mrr@1",
                             "sessions_per_second", "test.click_rate_per_rank.2"})
    EXPECT_NE(better_of(metric), Better::lower) << metric;
  for (const char* metric :
       {"test.loss", "valid.ppl", "test.cond_ppl_rank_mean", "seconds", "peak_memory_megabytes",
        "test.ppl_per_rank.10", "test.cond_ppl_per_rank.1", "epochs", "test.ranking.arp",
        "test.impossible_clicks"})
    EXPECT_EQ(better_of(metric), Better::lower) << metric;
}

TEST(ComparisonTest, UsualMetricsAreThoseOfTheLastSplitAndNdcgAtTen) {
  const auto chosen = [](std::map<std::string, double> metrics) {
    std::vector<std::string> names;
    for (const MetricComparison& metric : compare({run("a", 1, std::move(metrics))}, {}).metrics)
      names.push_back(metric.metric);
    return names;
  };
  EXPECT_THAT(chosen({{"train.ppl", 1}, {"valid.ppl", 1}, {"valid.cond_ppl", 1}}),
              ElementsAre("valid.cond_ppl", "valid.ppl"));
  EXPECT_THAT(chosen({{"valid.ppl", 1},
                      {"test.ppl", 1},
                      {"test.ranking.ndcg@10", 1},
                      {"test.ranking.ndcg@5", 1},
                      {"test.ranking.ndcg@20", 1}}),
              ElementsAre("test.ppl", "test.ranking.ndcg@10"));
  EXPECT_THAT(chosen({{"test.ranking.ndcg@3", 1}, {"test.ranking.ndcg@20", 1}}),
              ElementsAre("test.ranking.ndcg@20"));
  EXPECT_THAT(config_message([&] { chosen({{"seconds", 1}}); }), HasSubstr("expected metrics"));
}

TEST(ComparisonTest, AnUnknownMetricIsAnErrorThatNamesTheNearest) {
  const auto message = [](const std::string& metric) {
    return config_message([&] { compare(runs("a", {1}), {.metrics = {metric}}); });
  };
  EXPECT_EQ(message("test.pl"),
            "metric 'test.pl' is in no run's results; did you mean 'test.ppl'?");
  EXPECT_THAT(message("x"), HasSubstr("expected a path in results.json"));
}

TEST(ComparisonTest, ASingleRunHasNoTest) {
  const Comparison c = compare(runs("a", {1.5}), {});
  const Measurement& measured = c.metrics[0].measurements[0];
  EXPECT_EQ(measured.mean, 1.5);
  EXPECT_FALSE(measured.interval);
  EXPECT_FALSE(measured.test);
  EXPECT_EQ(c.tests, 0u);
  EXPECT_THAT(c.notes, IsEmpty());
}

TEST(ComparisonTest, FailedAndMissingResultsAreLeftOutAndNoted) {
  std::vector<RunResults> all =
      runs("a", {1.2, 1.4, 1.6}) + runs("b", {1.1, 1.2, 1.3}) + runs("c", {1, 1});
  all[1].metrics.clear();
  all[1].failure = "the loss is not finite";
  all[5].metrics["test.ppl"] = nan;
  for (const std::size_t i : {6, 7}) all[i].metrics.clear();
  const Comparison c = compare(all, {.metrics = {"test.ppl"}, .baseline = "type=b"});
  const Measurement& a = c.metrics[0].measurements[0];
  EXPECT_DOUBLE_EQ(a.mean, (1.2 + 1.6) / 2);
  EXPECT_FALSE(a.test) << "one seed in common";
  EXPECT_TRUE(std::isnan(c.metrics[0].measurements[2].mean));
  EXPECT_THAT(c.notes,
              ElementsAre("a2: the loss is not finite", "b3: test.ppl is not a finite number",
                          "c1: test.ppl is missing", "c2: test.ppl is missing",
                          HasSubstr("test.ppl: type=a is not tested: fewer than two seeds")));
}

TEST(ComparisonTest, WithoutAnySuccessThereIsNothingToCompare) {
  RunResults failed = run("a", 1, {});
  failed.failure = "did not finish";
  const Comparison c = compare({failed}, {});
  EXPECT_THAT(c.metrics, IsEmpty());
  EXPECT_THAT(c.notes, ElementsAre("a1: did not finish"));
}

/// Runs that also measured validation sessions, one per pair of perplexities.
std::vector<RunResults> validated(const std::string& type,
                                  const std::vector<std::pair<double, double>>& valid_and_test) {
  std::vector<RunResults> all;
  for (std::size_t i = 0; i < valid_and_test.size(); ++i)
    all.push_back(run(type, static_cast<std::int64_t>(i) + 1,
                      {{"valid.sessions", 10},
                       {"valid.cond_ppl", valid_and_test[i].first},
                       {"test.cond_ppl", valid_and_test[i].second}}));
  return all;
}

TEST(ComparisonTest, SelectsOnValidationSessions) {
  const auto all = validated("a", {{1.3, 1.2}, {1.2, 1.2}, {1.4, 1.3}}) +
                   validated("b", {{1.5, 1.1}, {1.6, 1.0}, {1.1, 1.0}});
  const Comparison c = compare(all, {});
  ASSERT_TRUE(c.selection);
  EXPECT_EQ(c.selection->metric, "valid.cond_ppl");
  EXPECT_EQ(c.selection->configuration, 0u) << "although b is better on test sessions";
  EXPECT_EQ(c.runs[c.selection->run].folder, "a2");
  EXPECT_EQ(c.baseline, BaselineChoice::selected);
  EXPECT_EQ(c.metrics[0].baseline, 0u);
  EXPECT_TRUE(c.metrics[0].measurements[1].test);
  const Comparison given = compare(all, {.baseline = "type=b"});
  EXPECT_EQ(given.baseline, BaselineChoice::given);
  EXPECT_EQ(given.metrics[0].baseline, 1u);
}

TEST(ComparisonTest, SelectsNothingWhereValidationDoesNotCompare) {
  auto all = validated("a", {{1.3, 1.2}, {1.2, 1.2}}) + validated("b", {{1.5, 1.1}, {1.6, 1.0}});
  EXPECT_TRUE(compare(all, {}).selection);
  all[0].metrics["valid.sessions"] = 11;
  EXPECT_FALSE(compare(all, {}).selection) << "other sessions";
  for (RunResults& one : all) {
    one.metrics.erase("valid.sessions");
    one.metrics["valid.cond_ppl"] = nan;
    one.metrics["valid.loss"] = one.options[0].second == "a" ? 0.1 : 0.2;
  }
  const Comparison c = compare(all, {});
  ASSERT_TRUE(c.selection);
  EXPECT_EQ(c.selection->metric, "valid.loss");
  for (RunResults& one : all) one.options[0].first = "loss.type";
  EXPECT_FALSE(compare(all, {}).selection) << "other losses";
  EXPECT_FALSE(compare(runs("a", {1, 2}) + runs("b", {1, 2}), {}).selection) << "no validation";
}

/// Runs on disk with a log-likelihood for each of three queries.
class QueryComparisonTest : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& type, std::int64_t seed,
           const std::vector<double>& ll, std::size_t clicks = 3) {
    runs_.push_back(folders_.add(name, "seed: " + std::to_string(seed) + ", type: " + type,
                                 R"({"test": {"cond_ppl": )" + std::to_string(2 - ll[0]) + "}}"));
    std::string csv = "query,sessions,documents,clicks,ll,unconditional_ll\n";
    for (std::size_t i = 0; i < ll.size(); ++i)
      csv += std::to_string(i) + ",1,10," + std::to_string(clicks) + "," + std::to_string(ll[i]) +
             ",-1\n";
    folders_.write(name + "/test_queries.csv", csv);
  }
  Comparison compared(const ComparisonOptions& options = {}) const {
    return compare(read_runs(runs_), options);
  }

  RunFolders folders_;
  std::vector<std::filesystem::path> runs_;
};

TEST_F(QueryComparisonTest, PairsQueriesWhereSeedsDoNot) {
  add("a", "a", 1, {-0.3, -0.5, -0.7});
  add("b", "b", 1, {-0.2, -0.3, -0.4});
  const Comparison c = compared();
  EXPECT_EQ(c.metrics[0].baseline, 1u);
  const DifferenceTest& test = c.metrics[0].measurements[0].test.value();
  EXPECT_EQ(test.over, "queries");
  EXPECT_EQ(test.measure, "ll");
  EXPECT_EQ(test.pairs, 3u);
  const double t = -0.2 / (0.1 / std::sqrt(3));
  EXPECT_NEAR(test.t_test.mean_difference, -0.2, 1e-12);
  EXPECT_NEAR(test.t_test.p_value, p_of_three_pairs(t), 1e-12);
}

TEST_F(QueryComparisonTest, AveragesTheRunsOfAConfiguration) {
  add("a1", "a", 1, {-0.2, -0.4, -0.6});
  add("a2", "a", 2, {-0.4, -0.6, -0.8});
  add("b", "b", 1, {-0.2, -0.3, -0.4});
  const Comparison c = compared();
  // The same as a single run with -0.3, -0.5, -0.7.
  EXPECT_NEAR(c.metrics[0].measurements[0].test->t_test.t, -0.2 / (0.1 / std::sqrt(3)), 1e-10);
}

TEST_F(QueryComparisonTest, ChanceInTrainingIsNoEvidenceIfQueriesDisagree) {
  // Each seed makes b better by nearly the same, since it tests the same queries again.
  add("a1", "a", 1, {-0.201, -0.5, -0.9});
  add("a2", "a", 2, {-0.202, -0.5, -0.9});
  add("a3", "a", 3, {-0.203, -0.5, -0.9});
  add("b1", "b", 1, {-0.1, -0.9, -0.4});
  add("b2", "b", 2, {-0.1, -0.9, -0.4});
  add("b3", "b", 3, {-0.1, -0.9, -0.4});
  const Comparison c = compared();
  EXPECT_EQ(c.metrics[0].baseline, 1u);
  const DifferenceTest& test = c.metrics[0].measurements[0].test.value();
  EXPECT_EQ(test.over, "queries");
  EXPECT_GT(test.corrected_p, 0.05);
}

TEST_F(QueryComparisonTest, QueriesAreNoEvidenceIfSeedsDisagree) {
  add("a1", "a", 1, {-0.3, -0.31, -0.32});
  add("a2", "a", 2, {-0.1, -0.11, -0.11});
  add("b1", "b", 1, {-0.1, -0.11, -0.12});
  add("b2", "b", 2, {-0.2, -0.21, -0.22});
  const DifferenceTest test = compared().metrics[0].measurements[0].test.value();
  EXPECT_EQ(test.over, "seeds");
  EXPECT_GT(test.corrected_p, 0.05);
}

TEST_F(QueryComparisonTest, LeavesOutQueriesThatDoNotCount) {
  add("a", "a", 1, {-0.3, -0.5, -0.7, -HUGE_VAL});
  add("b", "b", 1, {-0.2, -0.3, -0.4, -0.5});
  EXPECT_EQ(compared().metrics[0].measurements[0].test->pairs, 3u);
}

TEST_F(QueryComparisonTest, RefusesOrNotesOtherTestData) {
  add("a", "a", 1, {-0.3, -0.5, -0.7});
  add("b", "b", 1, {-0.2, -0.3, -0.4}, 2);
  EXPECT_THAT(data_message([&] { compared(); }),
              HasSubstr("were tested on different data: query 0 with 1 sessions, 10 documents"));
  const Comparison c = compared({.refuse_different_queries = false});
  EXPECT_FALSE(c.metrics[0].measurements[0].test);
  EXPECT_THAT(c.notes, ElementsAre(HasSubstr("were tested on different data")));
}

TEST_F(QueryComparisonTest, OneQueryIsNotEnough) {
  add("a", "a", 1, {-0.3});
  add("b", "b", 1, {-0.2});
  const Comparison c = compared();
  EXPECT_FALSE(c.metrics[0].measurements[0].test);
  EXPECT_THAT(c.notes, ElementsAre(HasSubstr("and one of the two queries")));
}

}  // namespace
}  // namespace ultr::comparison_test
