#include "data/simulation/simulated_user.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/click_rates.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "testing/golden.h"

namespace ultr::simulated_user_test {
namespace {

TEST(SimulatedUserGoldenTest, ProbabilitiesAreTheReferenceValues) {
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

/// Reads a user from a configuration such as `{type: additive, eta: 2}`.
Choice user(const std::string& config) {
  Choice choice(independent_user_types(), "position_based");
  struct Section final : Options {
    Choice& user;
    explicit Section(Choice& chosen) : user(chosen) {}
    void fields(Fields& f) override { f.choice("user", user, "help"); }
  } section(choice);
  read_options(parse_config("user: " + config, "test"), section);
  return choice;
}

constexpr int draws = 40000;

/// Returns the click rate of each document over many sessions.
std::vector<double> rates_of(const std::string& config, const std::vector<double>& relevance) {
  const Choice choice = user(config);
  return testing::click_rates(choice.as<SimulatedUserOptions>(), relevance, draws);
}

TEST(SimulatedUserTest, PositionBasedUsersClickAsTheClosedForm) {
  const std::vector<double> relevance = {4, 0, 1.5, 3, 4};
  std::vector<double> expected;
  for (std::size_t k = 0; k < relevance.size(); ++k)
    expected.push_back(std::pow(1 / static_cast<double>(k + 1), 0.7) *
                       (0.2 + 0.8 * (std::pow(2, relevance[k]) - 1) / 15));
  testing::expect_rates(rates_of("{type: position_based, eta: 0.7, noise: 0.2}", relevance),
                        expected, draws);
}

TEST(SimulatedUserTest, TrustingUsersClickAsTheClosedForm) {
  const std::vector<double> relevance = {4, 0, 1.5, 3, 0};
  std::vector<double> expected;
  for (std::size_t k = 0; k < relevance.size(); ++k) {
    const double rank = static_cast<double>(k + 1);
    const double relevant = 0.1 + 0.9 * (std::pow(2, relevance[k]) - 1) / 15;
    expected.push_back(std::pow(rank, -0.7) *
                       (0.9 * relevant + 0.6 / std::sqrt(rank) * (1 - relevant)));
  }
  testing::expect_rates(rates_of("{type: trust_bias, eta: 0.7, noise: 0.1, click_relevant: 0.9, "
                                 "click_irrelevant: 0.6, trust_decay: 0.5}",
                                 relevance),
                        expected, draws);
}

TEST(SimulatedUserTest, AdditiveUsersClickAsTheClosedForm) {
  const std::vector<double> relevance = {4, 0, 1.5, 3, 4};
  std::vector<double> expected;
  for (std::size_t k = 0; k < relevance.size(); ++k)
    expected.push_back(
        1 / (1 + std::exp(1.5 * std::log(static_cast<double>(k + 1)) - (relevance[k] - 2))));
  testing::expect_rates(rates_of("{type: additive, eta: 1.5}", relevance), expected, draws);
}

TEST(SimulatedUserTest, AnOffsetIsAddedToTheLogitOfEveryClick) {
  const std::vector<double> relevance = {4, 0, 1.5};
  std::vector<double> expected;
  for (std::size_t k = 0; k < relevance.size(); ++k)
    expected.push_back(
        1 / (1 + std::exp(std::log(static_cast<double>(k + 1)) - (relevance[k] - 2) + 1.5)));
  testing::expect_rates(rates_of("{type: additive, offset: -1.5}", relevance), expected, draws);
}

/// Returns the logit of the click rate in each of so many sessions, session s of query s / 2, with
/// 1000 documents of one relevance.
std::vector<double> logits_of_sessions(const std::string& config, std::size_t sessions) {
  const std::vector<double> relevance(1, 2.);
  const std::vector<std::uint32_t> rows(1000, 0);
  SessionLog log;
  for (std::size_t s = 0; s < sessions; ++s)
    log.add({.rows = rows,
             .positions = std::vector<std::uint16_t>(rows.size()),
             .clicks = std::vector<std::uint8_t>(rows.size()),
             .query = 10 + s / 2});
  user(config).as<SimulatedUserOptions>().users(
      {.relevance = relevance, .positions = 1, .seed = 5})()(log, 0);
  std::vector<double> logits;
  for (std::size_t s = 0; s < sessions; ++s) {
    const double clicked = std::accumulate(log[s].clicks.begin(), log[s].clicks.end(), 0.);
    logits.push_back(std::log(clicked / (1000 - clicked)));
  }
  return logits;
}

TEST(SimulatedUserTest, QueriesSpreadTheLogitsOfTheirClicks) {
  const std::vector<double> logits =
      logits_of_sessions("{type: additive, offset: 0.5, query_spread: 1}", 1000);
  double mean = 0, variance = 0, within = 0;
  for (const double logit : logits) mean += logit / 1000;
  for (std::size_t s = 0; s < logits.size(); ++s) {
    variance += std::pow(logits[s] - mean, 2) / 1000;
    within += s % 2 == 0 ? std::pow(logits[s] - logits[s + 1], 2) / 1000 : 0;
  }
  EXPECT_NEAR(mean, 0.5, 4 / std::sqrt(500));
  EXPECT_NEAR(variance, 1, 4 * std::sqrt(2. / 500));
  EXPECT_LT(within, 0.02);  // that of binomial draws: sessions of a query share their logit
}

TEST(SimulatedUserTest, TellTheirPositionBias) {
  const auto based =
      user("{type: position_based, eta: 2}").as<SimulatedUserOptions>().position_bias(3);
  ASSERT_TRUE(based.has_value());
  EXPECT_FALSE(based->additive);
  EXPECT_THAT(based->by_rank, ::testing::ElementsAre(1, 1 / 4., ::testing::DoubleEq(1 / 9.)));
  EXPECT_FALSE(user("trust_bias").as<SimulatedUserOptions>().position_bias(3).has_value());
  const auto additive =
      user("{type: additive, eta: 2}").as<SimulatedUserOptions>().position_bias(3);
  ASSERT_TRUE(additive.has_value());
  EXPECT_TRUE(additive->additive);
  EXPECT_THAT(additive->by_rank, ::testing::ElementsAre(0, -2 * std::log(2.), -2 * std::log(3.)));
}

TEST(SimulatedUserTest, ClicksAreAFunctionOfTheSeedAndTheSessionsNumber) {
  const std::vector<double> relevance = {3, 3, 3, 3, 3, 3, 3, 3};
  const std::vector<std::uint32_t> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<std::uint16_t> positions = {0, 1, 2, 3, 4, 5, 6, 7};
  for (const OptionType& type : independent_user_types()) {
    const Choice choice(independent_user_types(), type.name);
    const auto clicks = [&](std::size_t sessions, std::uint64_t first, std::uint64_t seed) {
      SessionLog log;
      for (std::size_t s = 0; s < sessions; ++s)
        log.add({.rows = rows, .positions = positions, .clicks = std::vector<std::uint8_t>(8)});
      choice.as<SimulatedUserOptions>().users(
          {.relevance = relevance, .positions = 8, .seed = seed})()(log, first);
      std::vector<std::vector<std::uint8_t>> all;
      for (std::size_t s = 0; s < sessions; ++s)
        all.emplace_back(log[s].clicks.begin(), log[s].clicks.end());
      return all;
    };
    const auto whole = clicks(100, 0, 1), end = clicks(60, 40, 1);
    EXPECT_EQ(std::vector(whole.begin() + 40, whole.end()), end) << type.name;
    EXPECT_NE(whole, clicks(100, 0, 2)) << type.name;
  }
}

TEST(SimulatedUserTest, RejectsNumbersOutOfRange) {
  for (const std::string wrong :
       {"{type: position_based, eta: -1}", "{type: position_based, noise: 1.5}",
        "{type: additive, eta: -0.1}", "{type: additive, query_spread: -1}",
        "{type: trust_bias, click_irrelevant: 1.1}", "{type: trust_bias, trust_decay: -1}",
        "{type: additive, noise: 0.1}", "{type: dbn}"})
    EXPECT_THROW(user(wrong), ConfigError) << wrong;
}

}  // namespace
}  // namespace ultr::simulated_user_test
