#include "data/simulated_clicks.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/feature_lists_builder.h"
#include "testing/errors.h"
#include "testing/golden.h"

namespace ultr {
namespace {

using testing::data_message;
using ::testing::Each;
using ::testing::ElementsAre;

TEST(SimulatedClicksGoldenTest, ProbabilitiesAreTheReferenceValues) {
  ULTR_NEEDS_GOLDEN();
  std::size_t checked = 0;
  const nlohmann::json golden = testing::read_golden("simulation.json");
  for (const auto& c : golden["cases"]) {
    const std::string type = c["type"];
    const auto expect = [&](std::size_t i, const std::string& name, double actual) {
      const double expected = testing::golden_number(c[name][i]);
      EXPECT_NEAR(actual, expected, 1e-15 * expected) << c.dump();
      ++checked;
    };
    if (type == "attractiveness")
      for (std::size_t i = 0; i < c["grades"].size(); ++i)
        expect(i, type, attractiveness(c["grades"][i], c["eps"]));
    if (type == "examination")
      for (std::size_t i = 0; i < c["ranks"].size(); ++i)
        expect(i, type, position_bias(c["ranks"][i].get<std::size_t>() - 1, c["eta"]));
    if (type == "click_prob_pbm")
      for (std::size_t i = 0; i < c["grades"].size(); ++i)
        expect(i, "click_prob",
               position_bias(i, c["eta"]) * attractiveness(c["grades"][i], c["eps"]));
  }
  EXPECT_GT(checked, 60u);
}

/// One list a vector of labels.
FeatureLists judged(const std::vector<std::vector<int>>& lists) {
  FeatureListsBuilder builder(1);
  for (std::size_t l = 0; l < lists.size(); ++l) {
    builder.start_list(100 + l);
    for (const int label : lists[l]) builder.add({.label = label});
  }
  return builder.build();
}

std::vector<std::uint32_t> rows_from(std::uint32_t first, const FeatureLists& lists) {
  std::vector<std::uint32_t> rows(lists.documents());
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

SessionLog simulate(const std::vector<std::vector<int>>& lists,
                    const SimulatedClickOptions& options, std::int64_t repeats = 1,
                    std::uint64_t seed = 1) {
  const FeatureLists all = judged(lists);
  return simulate_clicks(all, rows_from(7, all), options, repeats, seed);
}

TEST(SimulatedClicksTest, StrengthGoesFromTheWorstOrderToThePerfectOne) {
  const auto rows_at = [](double strength) {
    SimulatedClickOptions options;
    options.policy_strength = strength;
    options.rankings = 1;
    const SessionLog log = simulate({{1, 4, -2, 3}}, options);
    return std::vector<std::uint32_t>(log[0].rows.begin(), log[0].rows.end());
  };
  EXPECT_THAT(rows_at(1), ElementsAre(8, 10, 7, 9)) << "unjudged counts as 0";
  EXPECT_THAT(rows_at(-1), ElementsAre(9, 7, 10, 8));
}

TEST(SimulatedClicksTest, EveryListHasItsOrdersAndEveryOrderItsSessions) {
  SimulatedClickOptions options;
  options.rankings = 3;
  options.positions = 2;
  options.policy_strength = 0;
  options.aggregate = false;
  const SessionLog log = simulate({{0, 1, 2}, {3}}, options, 5);
  EXPECT_EQ(log.sessions(), 2u * 3 * 5);
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(log.length(i), 2u) << "cut to the positions";
    EXPECT_EQ(log[i].query, 100u);
    EXPECT_THAT(std::vector(log[i].rows.begin(), log[i].rows.end()),
                ::testing::ElementsAreArray(log[i / 5 * 5].rows))
        << "the same order";
  }
  EXPECT_THAT(log[15].rows, ElementsAre(10));
  EXPECT_FALSE(log.has_targets());
}

TEST(SimulatedClicksTest, ClickRatesAreTheClosedForm) {
  SimulatedClickOptions options;
  options.policy_strength = 1;
  options.rankings = 1;
  options.eta = 0.7;
  options.noise = 0.2;
  constexpr double repeats = 40000;
  const SessionLog log = simulate({{4, 2, 1, 0}}, options, static_cast<std::int64_t>(repeats));
  ASSERT_EQ(log.sessions(), 1u) << "aggregated";
  EXPECT_THAT(log[0].clicks, Each(0));
  const std::vector<int> labels = {4, 2, 1, 0};
  for (std::size_t k = 0; k < 4; ++k) {
    const double p = position_bias(k, 0.7) * attractiveness(labels[k], 0.2);
    EXPECT_NEAR(log[0].targets[k], p, 4 * std::sqrt(p * (1 - p) / repeats)) << k;
  }
}

TEST(SimulatedClicksTest, AggregatingIsTheMeanOverSessions) {
  SimulatedClickOptions options;
  options.rankings = 2;
  const SessionLog rates = simulate({{3, 2, 0}}, options, 20);
  options.aggregate = false;
  const SessionLog all = simulate({{3, 2, 0}}, options, 20);
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t k = 0; k < 3; ++k) {
      double clicks = 0;
      for (std::size_t s = 0; s < 20; ++s) clicks += all[20 * r + s].clicks[k];
      EXPECT_FLOAT_EQ(rates[r].targets[k], static_cast<float>(clicks / 20));
    }
}

TEST(SimulatedClicksTest, DrawsDependOnTheSeedAndTheDocuments) {
  SimulatedClickOptions options;
  const auto targets = [&](std::uint64_t seed) {
    const SessionLog log = simulate({{3, 2, 0}}, options, 20, seed);
    return std::vector<float>(log[0].targets.begin(), log[0].targets.end());
  };
  EXPECT_EQ(targets(1), targets(1));
  EXPECT_NE(targets(1), targets(2));
}

TEST(SimulatedClicksTest, SessionsAreRoundedUpToWholeOrders) {
  SimulatedClickOptions options;
  options.sessions = 100;
  options.rankings = 10;
  EXPECT_EQ(sessions_an_order(options, 3), 4) << "100 / 30";
  EXPECT_EQ(sessions_an_order(options, 10), 1);
  EXPECT_EQ(sessions_an_order(options, 1000), 1);
}

TEST(SimulatedClicksTest, RefusesWhatHasNoGradedLabels) {
  SimulatedClickOptions options;
  EXPECT_EQ(data_message([&] {
              simulate({{1}, {0, 5}}, options);
            }),
            "document 3 has label 5; expected at most 4 to simulate clicks of");
  FeatureListsBuilder builder(1);
  builder.start_list(1);
  builder.add({});
  const FeatureLists unlabelled = builder.build();
  EXPECT_EQ(
      data_message([&] { simulate_clicks(unlabelled, rows_from(1, unlabelled), options, 1, 1); }),
      "the lists have no relevance labels; expected some to simulate clicks of");
}

}  // namespace
}  // namespace ultr
