#include "experiment/bias_estimation.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "metrics/logged_clicks.h"
#include "options/config_tree.h"
#include "testing/small_log.h"

namespace ultr::bias_estimation_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::log_of;
using testing::LoggedClicks;
using ::testing::ThrowsMessage;

BiasEstimation estimated(const Dataset& dataset, const BiasEstimationOptions& options) {
  return estimate_bias(dataset, options, {});
}

Dataset dataset_of(const std::vector<LoggedClicks>& shown) {
  Dataset dataset;
  dataset.train = log_of(shown);
  for (std::uint64_t row = 1; row < 10; ++row) dataset.dictionary.add(1, row);
  dataset.positions = dataset.train.positions();
  return dataset;
}

std::vector<std::string> methods_of(const BiasEstimation& estimation) {
  std::vector<std::string> names;
  for (const BiasEstimate& estimate : estimation.estimates) names.push_back(estimate.method);
  return names;
}

constexpr std::size_t positions = 5;

/// Sessions of users that examine rank k with probability 1/k.
Dataset simulated(std::uint64_t seed, const std::string& ranking_noise) {
  return std::move(testing::simulate("{sessions: 4000, queries: 10, candidates: 8, positions: 5, "
                                     "zipf: 0, logit_mean: 0, ranking_noise: " +
                                         ranking_noise + "}",
                                     {.seed = seed})
                       .dataset);
}

TEST(BiasEstimationSlowTest, EveryMethodRecoversTheBiasOfSimulatedUsers) {
  // Lists in random order, where even click rates are right. Logs are independent, so that their
  // spread gives the standard error of their mean.
  constexpr int logs = 24;
  std::map<std::string, std::vector<Propensities>> estimates;
  for (int seed = 1; seed <= logs; ++seed)
    for (BiasEstimate& estimate : estimated(simulated(static_cast<std::uint64_t>(seed), "1e6"),
                                            {.methods = {}, .pivot = 2, .resamples = 0, .seed = 1})
                                      .estimates)
      estimates[estimate.method].push_back(std::move(estimate.propensities));
  EXPECT_EQ(estimates.size(), propensity_estimators().size());
  for (const auto& [method, all] : estimates)
    for (std::size_t k = 1; k < positions; ++k) {
      double sum = 0, squares = 0;
      for (const Propensities& one : all) sum += one[k];
      const double mean = sum / logs;
      for (const Propensities& one : all) squares += (one[k] - mean) * (one[k] - mean);
      const double standard_error = std::sqrt(squares / (logs - 1) / logs);
      EXPECT_LT(standard_error, 0.01) << method;
      EXPECT_NEAR(mean, 1 / static_cast<double>(k + 1), 4 * standard_error)
          << method << ", rank " << k + 1;
    }
}

TEST(BiasEstimationSlowTest, OnlyClickRatesAreMisledByAGoodRanking) {
  Propensities ctr(positions);
  std::map<std::string, Propensities> others;
  constexpr int logs = 8;
  for (int seed = 1; seed <= logs; ++seed)
    for (const BiasEstimate& estimate :
         estimated(simulated(static_cast<std::uint64_t>(seed), "1"), {.resamples = 0}).estimates)
      for (std::size_t k = 0; k < positions; ++k) {
        auto& sums = others[estimate.method];
        sums.resize(positions);
        sums[k] += estimate.propensities[k] / logs;
      }
  for (const auto& [method, means] : others)
    for (std::size_t k = 1; k < positions; ++k) {
      const double truth = 1 / static_cast<double>(k + 1);
      if (method == "ctr")
        EXPECT_LT(means[k], 0.9 * truth) << "rank " << k + 1;
      else
        EXPECT_NEAR(means[k], truth, 0.1 * truth) << method << ", rank " << k + 1;
    }
}

TEST(BiasEstimationSlowTest, IntervalsCoverTheTruthAboutAsOftenAsTheySay) {
  constexpr int logs = 40;
  std::map<std::string, int> covered;
  for (int seed = 1; seed <= logs; ++seed)
    for (const BiasEstimate& estimate :
         estimated(simulated(static_cast<std::uint64_t>(100 + seed), "1e6"),
                   {.methods = {"ctr", "adjacent_chain", "pivot", "all_pairs"}, .resamples = 100})
             .estimates) {
      ASSERT_EQ(estimate.intervals.size(), positions);
      for (std::size_t k = 1; k < positions; ++k) {
        const auto& interval = estimate.intervals[k].value();
        const double truth = 1 / static_cast<double>(k + 1);
        covered[estimate.method] += interval.lower <= truth && truth <= interval.upper ? 1 : 0;
      }
    }
  // 160 intervals a method, four a log, of which 95% cover: 152. Were the four of a log one, the
  // standard deviation would be 4 sqrt(40 0.95 0.05) = 5.5.
  for (const auto& [method, count] : covered) EXPECT_GT(count, 152 - 4 * 5.5) << method;
}

TEST(BiasEstimationTest, NeitherThreadsNorOtherMethodsChangeNumbers) {
  const Dataset dataset = simulated(1, "1");
  const BiasEstimation one = estimated(dataset, {.resamples = 7, .most_passes = 5, .threads = 1});
  const BiasEstimation more = estimated(dataset, {.resamples = 7, .most_passes = 5, .threads = 3});
  const BiasEstimation alone = estimated(dataset, {.methods = {"all_pairs"}, .resamples = 7});
  ASSERT_EQ(methods_of(one), propensity_estimators());
  ASSERT_EQ(methods_of(more), propensity_estimators());
  ASSERT_THAT(methods_of(alone), ElementsAre("all_pairs"));
  const auto expect_equal = [](const BiasEstimate& a, const BiasEstimate& b) {
    EXPECT_EQ(a.propensities, b.propensities) << a.method;
    ASSERT_EQ(a.intervals.size(), b.intervals.size()) << a.method;
    for (std::size_t k = 0; k < a.intervals.size(); ++k) {
      EXPECT_EQ(a.intervals[k].value().lower, b.intervals[k].value().lower) << a.method;
      EXPECT_EQ(a.intervals[k].value().upper, b.intervals[k].value().upper) << a.method;
    }
  };
  for (std::size_t i = 0; i < one.estimates.size(); ++i)
    expect_equal(one.estimates[i], more.estimates[i]);
  expect_equal(one.estimates[3], alone.estimates[0]);
}

TEST(BiasEstimationTest, WithoutPairsAtSeveralRanksOnlyClickRatesAreLeft) {
  const Dataset dataset = dataset_of({{1, 1, 2, 2}, {2, 2, 1, 3}});
  const BiasEstimation all = estimated(dataset, {.resamples = 10});
  EXPECT_THAT(methods_of(all), ElementsAre("ctr"));
  EXPECT_THAT(all.notes,
              ElementsAre("adjacent_chain, pivot, all_pairs, regression_em: no query-document pair "
                          "is shown at several ranks in the training sessions, so that there is "
                          "nothing to harvest"));
  EXPECT_THAT([&] { estimated(dataset, {.methods = {"pivot"}}); },
              ThrowsMessage<DataError>(HasSubstr("nothing can be estimated: pivot: no query")));
}

TEST(BiasEstimationTest, NotesNameUnknownNumbers) {
  const Dataset dataset = dataset_of({{1, 1, 2, 2}, {1, 2, 0, 4}, {2, 3, 1, 1}, {3, 4, 1, 1}});
  const BiasEstimation pivot = estimated(dataset, {.methods = {"pivot"}, .resamples = 0});
  EXPECT_THAT(pivot.notes,
              ElementsAre("pivot: unknown at ranks 3 to 4, for want of clicks or of query-document "
                          "pairs to compare",
                          "pivot: 0 at rank 2, for want of clicks; weights of 1/0 need a bound"));
  EXPECT_THAT(pivot.estimates.at(0).intervals, IsEmpty());
  EXPECT_THAT(
      [&] {
        estimated(dataset_of({{1, 1, 0, 2}, {1, 2, 1, 1}}), {.methods = {"all_pairs"}});
      },
      ThrowsMessage<DataError>(HasSubstr("all_pairs: no rank can be compared with rank 1")));
}

TEST(BiasEstimationTest, RegressionEmNotesWhereRelevanceExplainsTheClicks) {
  const BiasEstimationOptions options{.methods = {"regression_em"}};
  EXPECT_THAT(estimated(dataset_of({{1, 1, 2, 2}, {1, 2, 1, 3}, {2, 3, 4, 8}}), options).notes,
              Contains(HasSubstr("regression_em: 60% of the documents shown are of")));
  EXPECT_THAT(estimated(dataset_of({{1, 1, 2, 2}, {1, 2, 1, 3}, {2, 1, 2, 2}}), options).notes,
              IsEmpty());
  BiasEstimationOptions once = options;
  once.most_passes = 1;
  EXPECT_THAT(estimated(dataset_of({{1, 1, 2, 2}, {1, 2, 1, 3}}), once).notes,
              ElementsAre(HasSubstr("still changing after 1 passes")));
}

TEST(BiasEstimationTest, RanksWithoutClicksHaveNoInterval) {
  const BiasEstimation ctr =
      estimated(dataset_of({{1, 1, 20, 20}, {1, 2, 0, 40}}), {.methods = {"ctr"}, .resamples = 20});
  EXPECT_TRUE(ctr.estimates.at(0).intervals.at(0));
  EXPECT_FALSE(ctr.estimates.at(0).intervals.at(1)) << "[0, 0] would look certain";
}

TEST(BiasEstimationTest, RefusesUnknownMethodsAndPivots) {
  const Dataset dataset = dataset_of({{1, 1, 2, 2}, {1, 2, 1, 3}});
  EXPECT_THAT(
      [&] {
        estimated(dataset, {.methods = {"ctr", "rem"}});
      },
      ThrowsMessage<ConfigError>("there is no method 'rem'; expected one of ctr, "
                                 "adjacent_chain, pivot, all_pairs, regression_em"));
  for (const std::size_t pivot : {0u, 3u})
    EXPECT_THAT([&] { estimated(dataset, {.pivot = pivot}); },
                ThrowsMessage<ConfigError>(HasSubstr("expected one from 1 to 2")));
}

TEST(BiasEstimationTest, ReportsProgress) {
  std::map<std::string, std::uint64_t> done;
  estimate_bias(
      dataset_of({{1, 1, 2, 2}, {1, 2, 1, 3}}), {.resamples = 10, .most_passes = 2, .threads = 3},
      [&](std::string_view work, std::string_view unit, std::uint64_t so_far, std::uint64_t all) {
        done[std::string(work) + " " + std::string(unit)] = so_far;
        EXPECT_LE(so_far, all);
      });
  EXPECT_EQ(done["bootstrap resamples"], 10u);
  EXPECT_EQ(done["regression_em passes"], 2u);
}

}  // namespace
}  // namespace ultr::bias_estimation_test
