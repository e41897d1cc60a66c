#include "metrics/ranking_metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "metrics/random_order.h"
#include "testing/golden.h"
#include "testing/not_finite.h"

namespace ultr::ranking_metrics_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::infinity;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

struct List {
  std::vector<double> scores;
  std::vector<int> labels;
};

RankedLabels rank(const List& list) { return {list.scores, list.labels}; }

/// Returns labels that the scores rank in the given order.
RankedLabels in_order(const std::vector<int>& labels) {
  std::vector<double> scores(labels.size());
  std::iota(scores.rbegin(), scores.rend(), 0.);
  return {scores, labels};
}

/// Returns a list of 0 to 12 documents with grades 0 to 4, with ties and unjudged documents.
List random_list(std::mt19937_64& random) {
  List list;
  const std::size_t size = random() % 13;
  for (std::size_t i = 0; i < size; ++i) {
    list.scores.push_back(static_cast<double>(random() % 8));
    list.labels.push_back(random() % 5 == 0 ? unjudged : static_cast<int>(random() % 5));
  }
  return list;
}

/// Compares with a golden value; null stands for NaN.
void expect_close(double actual, const json& golden, const std::string& where) {
  const double expected = testing::golden_number(golden);
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(actual)) << where;
  else
    EXPECT_NEAR(actual, expected, 1e-14 * std::max(1.0, expected)) << where;
}

/// Reads a golden list, whose masked documents are unjudged ones.
List golden_list(const json& golden) {
  List list;
  for (std::size_t i = 0; i < golden["labels"].size(); ++i) {
    list.scores.push_back(golden["scores"][i]);
    list.labels.push_back(golden["mask"][i] == 1 ? golden["labels"][i].get<int>() : unjudged);
  }
  return list;
}

using MetricAt = std::function<double(const RankedLabels&, std::size_t)>;
const std::map<std::string, MetricAt> golden_functions = {
    {"dcg", [](const RankedLabels& list, std::size_t k) { return dcg(list, k); }},
    {"ideal_dcg", [](const RankedLabels& list, std::size_t k) { return ideal_dcg(list, k); }},
    {"ndcg", [](const RankedLabels& list, std::size_t k) { return ndcg(list, k); }},
    {"mrr", reciprocal_rank},
    {"map_over_all_relevant", average_precision},
    {"precision", precision},
};
/// The metrics that RankingMetrics averages, with their names in the golden file.
const std::map<std::string, std::string> golden_names = {{"dcg", "dcg"},
                                                         {"ndcg", "ndcg"},
                                                         {"mrr", "mrr"},
                                                         {"map", "map_over_all_relevant"},
                                                         {"precision", "precision"}};

TEST(RankingMetricsGoldenTest, EveryListOfTheFileMatches) {
  ULTR_NEEDS_GOLDEN();
  const json file = testing::read_golden("metrics.json");
  std::size_t cases = 0;
  for (const json& golden : file["cases"]) {
    if (golden["type"] != "ranking") continue;
    ++cases;
    const std::string name = golden["name"];
    for (std::size_t i = 0; i < golden["lists"].size(); ++i) {
      const RankedLabels list = rank(golden_list(golden["lists"][i]));
      EXPECT_EQ(list.relevant() > 0, golden["has_relevant"][i] == 1) << name;
      expect_close(average_relevance_position(list), golden["per_list"]["arp"][i], name + " arp");
      for (const auto& [metric, function] : golden_functions)
        for (std::size_t k = 0; k < golden["k"].size(); ++k)
          expect_close(function(list, golden["k"][k]), golden["per_list"][metric][i][k],
                       name + " " + metric + "@" + golden["k"][k].dump());
    }
  }
  EXPECT_EQ(cases, 7u);
}

TEST(RankingMetricsGoldenTest, EveryMeanOfTheFileMatches) {
  ULTR_NEEDS_GOLDEN();
  const json file = testing::read_golden("metrics.json");
  std::size_t cases = 0;
  for (const json& golden : file["cases"]) {
    if (golden["type"] != "ranking") continue;
    ++cases;
    for (const auto without_relevant : {WithoutRelevant::zero, WithoutRelevant::skip}) {
      const bool skip = without_relevant == WithoutRelevant::skip;
      const json& means = golden[skip ? "mean_relevant_lists" : "mean_all_lists"];
      RankingMetrics metrics({.cutoffs = golden["k"], .without_relevant = without_relevant});
      for (const json& list : golden["lists"]) {
        const List parsed = golden_list(list);
        metrics.add(parsed.scores, parsed.labels);
      }
      const std::string name = golden["name"];
      EXPECT_EQ(metrics.lists(), golden["lists"].size());
      EXPECT_EQ(metrics.lists_without_relevant(),
                static_cast<std::size_t>(
                    std::count(golden["has_relevant"].begin(), golden["has_relevant"].end(), 0)));
      // ARP always leaves out such lists.
      expect_close(metrics.value("arp"), golden["mean_relevant_lists"]["arp"], name + " arp");
      for (const auto& [ours, theirs] : golden_names)
        for (std::size_t k = 0; k < golden["k"].size(); ++k) {
          const std::string at_k = ours + "@" + golden["k"][k].dump();
          expect_close(metrics.value(at_k), means[theirs].is_null() ? json() : means[theirs][k],
                       name + " " + at_k);
        }
    }
  }
  EXPECT_EQ(cases, 7u);
}

TEST(RankedLabelsTest, RanksByScoreAndKeepsTheOrderOfTies) {
  const RankedLabels list = rank({{1, 3, 1, 3, -infinity, infinity}, {0, 1, 2, 3, 4, 5}});
  EXPECT_THAT(list.labels(), ElementsAre(5, 1, 3, 0, 2, 4));
  EXPECT_THAT(list.ideal(), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_EQ(list.relevant(), 5u);
}

TEST(RankedLabelsTest, RemovesUnjudgedDocumentsBeforeRanksAreCounted) {
  const RankedLabels list = rank({{9, 8, 7, 6}, {unjudged, 1, unjudged, 2}});
  EXPECT_THAT(list.labels(), ElementsAre(1, 2));
  EXPECT_EQ(reciprocal_rank(list, 10), 1);
}

TEST(RankedLabelsTest, RefusesNaNAndUnequalLengths) {
  EXPECT_THAT(
      [] {
        rank({{1, 2}, {0}});
      },
      ThrowsMessage<Error>(HasSubstr("2 scores and 1 labels")));
  EXPECT_THAT(
      [] {
        rank({{1, std::nan("")}, {0, 1}});
      },
      ThrowsMessage<Error>(HasSubstr("document 1 is NaN")));
  EXPECT_THROW(rank({{std::nan("")}, {unjudged}}), Error);
  EXPECT_THAT(
      [] {
        rank({{1}, {-1}});
      },
      ThrowsMessage<Error>(HasSubstr("label of document 0 is -1")));
}

TEST(DcgTest, GainIsExponentialOrLinearAndDiscountedByTheLogOfTheRank) {
  const RankedLabels list = in_order({1, 0, 3, 2});
  EXPECT_DOUBLE_EQ(dcg(list, 10), 1 + 7 / std::log2(4.) + 3 / std::log2(5.));
  EXPECT_DOUBLE_EQ(dcg(list, 10, Gain::linear), 1 + 3 / std::log2(4.) + 2 / std::log2(5.));
  EXPECT_DOUBLE_EQ(dcg(list, 3), 1 + 7 / std::log2(4.));
  EXPECT_DOUBLE_EQ(ideal_dcg(list, 2, Gain::linear), 3 + 2 / std::log2(3.));
  EXPECT_DOUBLE_EQ(ndcg(list, 2, Gain::linear), 1 / (3 + 2 / std::log2(3.)));
  EXPECT_EQ(dcg(list, 10), dcg({std::vector{4., 3., 2., 1.}, std::vector{1, 0, 3, 2}}, 10));
}

TEST(DcgTest, LabelsWhoseExponentialGainOverflowsAreAnError) {
  EXPECT_THROW(dcg(in_order({1001}), 1), Error);
  EXPECT_EQ(ndcg(in_order({0, 1000}), 1), 0);
  EXPECT_EQ(dcg(in_order({5000}), 1, Gain::linear), 5000);
}

TEST(RankingMetricTest, CutOffZeroIsAnError) {
  for (const auto& [name, function] : golden_functions)
    EXPECT_THROW(function(in_order({1}), 0), Error) << name;
}

TEST(RankingMetricTest, EveryMetricAtEveryCutOffFollowsItsDefinition) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const RankedLabels list = rank(random_list(random));
    const auto labels = list.labels();
    for (std::size_t k = 1; k < 15; ++k) {
      const std::size_t end = std::min(k, labels.size());
      const auto relevant_up_to = [&](std::size_t r) {
        return static_cast<double>(std::count_if(labels.begin(),
                                                 labels.begin() + static_cast<std::ptrdiff_t>(r),
                                                 [](int y) { return y > 0; }));
      };
      double first_relevant = 0, precisions = 0;
      for (std::size_t r = end; r >= 1; --r) {
        if (labels[r - 1] == 0) continue;
        first_relevant = 1 / static_cast<double>(r);
        precisions += relevant_up_to(r) / static_cast<double>(r);
      }
      EXPECT_EQ(reciprocal_rank(list, k), first_relevant);
      EXPECT_DOUBLE_EQ(precision(list, k), relevant_up_to(end) / static_cast<double>(k));
      EXPECT_NEAR(average_precision(list, k),
                  precisions / std::max(1., relevant_up_to(labels.size())), 1e-15);
    }
  }
}

TEST(RankingMetricTest, TheIdealOrderIsPerfectAndItsReverseIsNeverBetter) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const RankedLabels list = rank(random_list(random));
    const std::vector<int> best(list.ideal().begin(), list.ideal().end());
    const std::vector<int> worst(best.rbegin(), best.rend());
    for (const Gain gain : {Gain::exponential, Gain::linear}) {
      for (const std::size_t k : {1u, 2u, 3u, 5u, 10u, 100u}) {
        const double ideal = list.relevant() > 0 ? 1 : 0;
        EXPECT_EQ(ndcg(in_order(best), k, gain), ideal);
        EXPECT_LE(ndcg(list, k, gain), ideal);
        EXPECT_LE(dcg(in_order(worst), k, gain), dcg(list, k, gain) * (1 + 1e-15));
        EXPECT_EQ(ideal_dcg(list, k, gain), dcg(in_order(best), k, gain));
      }
    }
    if (list.relevant() == 0) continue;
    EXPECT_LE(average_relevance_position(in_order(best)), average_relevance_position(list));
    EXPECT_GE(average_relevance_position(in_order(worst)), average_relevance_position(list));
  }
}

TEST(RankingMetricTest, SwappingABetterDocumentUpNeverLowersDcg) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    const RankedLabels list = rank(random_list(random));
    std::vector<int> labels(list.labels().begin(), list.labels().end());
    for (std::size_t i = 1; i < labels.size(); ++i) {
      if (labels[i] <= labels[i - 1]) continue;
      std::vector<int> swapped = labels;
      std::swap(swapped[i - 1], swapped[i]);
      EXPECT_GT(dcg(in_order(swapped), 100), dcg(in_order(labels), 100));
      EXPECT_LT(average_relevance_position(in_order(swapped)),
                average_relevance_position(in_order(labels)));
    }
  }
}

TEST(RankingMetricTest, AverageRelevancePositionWeighsRanksByLabel) {
  EXPECT_DOUBLE_EQ(average_relevance_position(in_order({0, 3, 1})), (3 * 2 + 1 * 3) / (3. + 1));
  EXPECT_TRUE(std::isnan(average_relevance_position(in_order({0, 0}))));
}

TEST(RankingMetricsTest, NamesItsValuesInOrder) {
  RankingMetrics metrics({.cutoffs = {10, 3}});
  EXPECT_THAT(metrics.names(),
              ElementsAre("dcg@10", "dcg@3", "ndcg@10", "ndcg@3", "mrr@10", "mrr@3", "map@10",
                          "map@3", "precision@10", "precision@3", "arp"));
  metrics.add(in_order({0, 1}));
  const auto values = metrics.values();
  ASSERT_EQ(values.size(), metrics.names().size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].name, metrics.names()[i]);
    EXPECT_EQ(values[i].value, metrics.value(values[i].name));
  }
  EXPECT_EQ(metrics.value("ndcg@10"), 1 / std::log2(3.));
  EXPECT_EQ(metrics.value("precision@3"), 1. / 3);
  EXPECT_THAT(
      [&] { metrics.value("ndcg@5"); },
      ThrowsMessage<Error>(HasSubstr("no ranking metric 'ndcg@5'; expected one of dcg@10")));
  EXPECT_EQ(RankingMetrics().names().size(), 5 * 4 + 1u);
}

TEST(RankingMetricsTest, TheGainOptionReachesDcgAndNdcg) {
  RankingMetrics metrics({.cutoffs = {5}, .gain = Gain::linear});
  metrics.add(in_order({1, 3}));
  EXPECT_DOUBLE_EQ(metrics.value("dcg@5"), 1 + 3 / std::log2(3.));
  EXPECT_DOUBLE_EQ(metrics.value("ndcg@5"), (1 + 3 / std::log2(3.)) / (3 + 1 / std::log2(3.)));
}

TEST(RankingMetricsTest, ListsWithoutARelevantDocumentCountZeroOrAreSkipped) {
  for (const bool skip : {false, true}) {
    RankingMetrics metrics(
        {.cutoffs = {1}, .without_relevant = skip ? WithoutRelevant::skip : WithoutRelevant::zero});
    metrics.add(in_order({0, 0}));
    metrics.add(in_order({1, 2}));
    EXPECT_EQ(metrics.lists(), 2u);
    EXPECT_EQ(metrics.lists_without_relevant(), 1u);
    EXPECT_EQ(metrics.lists_without_judged(), 0u);
    EXPECT_DOUBLE_EQ(metrics.value("ndcg@1"), 1. / 3 / (skip ? 1 : 2));
    EXPECT_DOUBLE_EQ(metrics.value("mrr@1"), 1. / (skip ? 1 : 2));
    EXPECT_DOUBLE_EQ(metrics.value("arp"), (1 * 1 + 2 * 2) / 3.);
  }
}

TEST(RankingMetricsTest, ALabelDecidesWhichDocumentsAreRelevant) {
  const std::vector<double> scores = {4, 3, 2, 1};
  const std::vector<int> labels = {1, 2, 0, 3};
  const RankedLabels list(scores, labels, 2);
  EXPECT_EQ(list.relevant(), 2u);
  EXPECT_EQ(reciprocal_rank(list, 4), 0.5);
  EXPECT_EQ(precision(list, 2), 0.5);
  EXPECT_EQ(average_precision(list, 4), (1. / 2 + 2. / 4) / 2);
  EXPECT_EQ(average_relevance_position(list), (2. * 2 + 3. * 4) / 5);
  EXPECT_EQ(ndcg(list, 4), ndcg({scores, labels}, 4)) << "gains need no threshold";
  RankingMetrics metrics({.relevant = 4});
  metrics.add(scores, labels);
  EXPECT_EQ(metrics.lists_without_relevant(), 1u);
  EXPECT_EQ(metrics.value("mrr@10"), 0);
}

TEST(RankingMetricsTest, LabelsBelowTheRelevantOnesAloneHaveNoGain) {
  const std::vector<double> scores = {2, 1};
  const std::vector<int> low = {0, 1}, high = {1, 2};
  const RankedLabels list(scores, low, 2);
  for (const Gain gain : {Gain::exponential, Gain::linear}) {
    EXPECT_EQ(dcg(list, 2, gain), 0);
    EXPECT_EQ(ideal_dcg(list, 2, gain), 0);
    EXPECT_EQ(ndcg(list, 2, gain), 0);
    EXPECT_EQ(random_ndcg(list, 2, gain), 0);
  }
  for (const bool skip : {false, true}) {
    RankingMetrics metrics(
        {.cutoffs = {1},
         .without_relevant = skip ? WithoutRelevant::skip : WithoutRelevant::zero,
         .relevant = 2});
    metrics.add(scores, low);
    metrics.add(scores, high);
    // The second list gains 1 where its best order gains 3.
    EXPECT_DOUBLE_EQ(metrics.value("dcg@1"), skip ? 1 : 1. / 2);
    EXPECT_DOUBLE_EQ(metrics.value("ndcg@1"), skip ? 1. / 3 : 1. / 6);
  }
}

TEST(RankingMetricsTest, ListsWithoutAJudgedDocumentNeverCount) {
  RankingMetrics metrics({.cutoffs = {1}});
  metrics.add(in_order({}));
  metrics.add(in_order({unjudged, unjudged}));
  EXPECT_TRUE(std::isnan(metrics.value("ndcg@1")));
  metrics.add(in_order({2, 0}));
  EXPECT_EQ(metrics.lists(), 3u);
  EXPECT_EQ(metrics.lists_without_judged(), 2u);
  EXPECT_EQ(metrics.lists_without_relevant(), 0u);
  for (const MetricValue& metric : metrics.values())
    EXPECT_EQ(metric.value, metric.name == "dcg@1" ? 3 : 1) << metric.name;
}

TEST(RankingMetricsTest, WithoutListsEveryMeanIsNaN) {
  for (const MetricValue& metric : RankingMetrics().values())
    EXPECT_TRUE(std::isnan(metric.value)) << metric.name;
}

TEST(RankingMetricsTest, GivesTheValuesOfTheListsThatCount) {
  RankingMetrics metrics({.cutoffs = {1}});
  metrics.add(in_order({0, 1}));
  metrics.add(in_order({unjudged}));
  metrics.add(in_order({0}));
  metrics.add(in_order({2}));
  EXPECT_THAT(metrics.per_list("dcg@1"), ElementsAre(0, 0, 3));
  EXPECT_THAT(metrics.counted_lists("dcg@1"), ElementsAre(0, 2, 3));
  EXPECT_THAT(metrics.per_list("arp"), ElementsAre(2, 1));
  EXPECT_THAT(metrics.counted_lists("arp"), ElementsAre(0, 3));
  EXPECT_THROW(metrics.per_list("dcg"), Error);
}

TEST(RankingMetricsTest, MergedPartsEqualOnePassBitForBit) {
  std::mt19937_64 random(4);
  RankingMetrics one_pass, merged, part;
  for (int i = 0; i < 300; ++i) {
    const RankedLabels list = rank(random_list(random));
    one_pass.add(list);
    part.add(list);
    if (i % 29 == 0 || i == 299) {
      merged.add(part);
      part = RankingMetrics();
    }
  }
  EXPECT_EQ(merged.lists(), one_pass.lists());
  EXPECT_EQ(merged.lists_without_relevant(), one_pass.lists_without_relevant());
  EXPECT_EQ(merged.lists_without_judged(), one_pass.lists_without_judged());
  EXPECT_GT(merged.lists_without_relevant(), 0u);
  EXPECT_GT(merged.lists_without_judged(), 0u);
  for (const std::string& name : one_pass.names()) {
    EXPECT_EQ(merged.value(name), one_pass.value(name)) << name;
    EXPECT_EQ(merged.per_list(name), one_pass.per_list(name)) << name;
  }
}

TEST(RankingMetricsTest, AListThatIsRefusedLeavesNoTrace) {
  RankingMetrics metrics;
  EXPECT_THROW(metrics.add(in_order({1001})), Error);
  EXPECT_THROW(metrics.add(std::vector{std::nan("")}, std::vector{1}), Error);
  EXPECT_EQ(metrics.lists(), 0u);
  for (const std::string& name : metrics.names()) EXPECT_THAT(metrics.per_list(name), IsEmpty());
}

TEST(RankingMetricsTest, RefusesOptionsWithoutMeaningAndPartsThatDiffer) {
  EXPECT_THROW(RankingMetrics({.cutoffs = {0}}), Error);
  EXPECT_THROW(RankingMetrics({.cutoffs = {5, 5}}), Error);
  EXPECT_THAT(RankingMetrics({.cutoffs = {}}).names(), ElementsAre("arp"));
  RankingMetrics metrics;
  EXPECT_THROW(metrics.add(RankingMetrics({.cutoffs = {7}})), Error);
  EXPECT_THROW(metrics.add(RankingMetrics({.gain = Gain::linear})), Error);
  EXPECT_THROW(metrics.add(RankingMetrics({.without_relevant = WithoutRelevant::skip})), Error);
}

}  // namespace
}  // namespace ultr::ranking_metrics_test
