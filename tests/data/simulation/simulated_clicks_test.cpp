#include "data/simulation/simulated_clicks.h"

#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/features/feature_lists_builder.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "testing/errors.h"

namespace ultr::simulated_clicks_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// Lists of documents with the given relevance and rows 7, 8, ....
struct Simulation {
  FeatureLists lists;
  std::vector<std::uint32_t> rows;
  std::vector<double> relevance, by_number = {0};

  explicit Simulation(const std::vector<std::vector<double>>& documents) {
    FeatureListsBuilder builder;
    for (std::size_t l = 0; l < documents.size(); ++l) {
      builder.start_list(100 + l);
      for (const double y : documents[l]) {
        builder.add({});
        rows.push_back(static_cast<std::uint32_t>(7 + rows.size()));
        relevance.push_back(y);
        by_number.push_back(y);
      }
    }
    lists = builder.build();
  }
};

struct ByRelevance final : LoggingPolicyOptions {
  PolicyScores fit(const PolicyTraining&) const override { return {}; }
};

/// Reads options from a configuration in YAML.
SimulatedClickOptions options_of(const std::string& config) {
  SimulatedClickOptions options;
  read_options(parse_config(config, "test"), options);
  return options;
}

const SimulatedUserOptions& default_user() {
  static const Choice user(independent_user_types(), "position_based");
  return user.as<SimulatedUserOptions>();
}

SessionLog simulate(const Simulation& data, const SimulatedClickOptions& options,
                    const LoggingPolicyOptions& how, const SimulationRun& run,
                    const SimulatedUserOptions& user = default_user()) {
  const LoggingPolicy policy(data.lists, data.rows, data.relevance, how,
                             static_cast<std::size_t>(options.rankings), run.seed);
  const UsersOfLists users(user, {.relevance = data.by_number,
                                  .positions = static_cast<std::size_t>(options.positions),
                                  .seed = run.seed});
  return simulate_clicks(data.lists, data.rows, policy, users, options, run);
}

/// Query, rows, clicks and targets of each session of a log.
using Sessions = std::vector<std::tuple<std::uint64_t, std::vector<std::uint32_t>,
                                        std::vector<std::uint8_t>, std::vector<float>>>;
Sessions all(const SessionLog& log) {
  Sessions sessions;
  for (std::size_t i = 0; i < log.sessions(); ++i)
    sessions.emplace_back(log[i].query, std::vector(log[i].rows.begin(), log[i].rows.end()),
                          std::vector(log[i].clicks.begin(), log[i].clicks.end()),
                          std::vector(log[i].targets.begin(), log[i].targets.end()));
  return sessions;
}

TEST(SimulatedClicksTest, ShowsTheFirstDocumentsOfTheOrder) {
  const Simulation data({{1, 4, 0, 3}, {2}});
  const SessionLog log = simulate(data, options_of("{positions: 3, aggregate: false}"),
                                  ByRelevance(), {.sessions = 50});
  EXPECT_EQ(log.sessions(), 50u);
  for (std::size_t i = 0; i < log.sessions(); ++i) {
    if (log[i].query == 100) {
      EXPECT_THAT(log[i].rows, ElementsAre(8, 10, 7));
      EXPECT_THAT(log[i].positions, ElementsAre(0, 1, 2));
    } else {
      EXPECT_EQ(log[i].query, 101u);
      EXPECT_THAT(log[i].rows, ElementsAre(11));
    }
  }
  EXPECT_FALSE(log.has_targets());
}

/// Candidates below the cut-off stand in sessions without clicks; above it, nothing changes.
TEST(SimulatedClicksTest, NobodyClicksBelowTheCutOff) {
  const Simulation data({{1, 4, 0, 3}, {2}});
  for (const std::string noise : {"0", "0.3"}) {
    const std::string options = "{aggregate: false, click_noise: " + noise;
    const SessionLog all_seen =
        simulate(data, options_of(options + "}"), ByRelevance(), {.sessions = 300});
    const SessionLog log =
        simulate(data, options_of(options + ", cut_off: 2}"), ByRelevance(), {.sessions = 300});
    std::size_t clicked = 0;
    for (std::size_t i = 0; i < log.sessions(); ++i) {
      ASSERT_THAT(log[i].rows, ::testing::ElementsAreArray(all_seen[i].rows));
      for (std::size_t k = 0; k < log[i].clicks.size(); ++k) {
        EXPECT_EQ(log[i].clicks[k], k < 2 ? all_seen[i].clicks[k] : 0);
        if (k >= 2) clicked += all_seen[i].clicks[k];
      }
    }
    EXPECT_GT(clicked, 10u);
  }
}

TEST(SimulatedClicksTest, RatesBelowTheCutOffAreZero) {
  const Simulation data({{1, 4, 0, 3}});
  const SessionLog log =
      simulate(data, options_of("{cut_off: 2}"), ByRelevance(), {.sessions = 50});
  EXPECT_GT(log[0].targets[0], 0);
  EXPECT_GT(log[0].targets[1], 0);
  EXPECT_THAT(log[0].targets.subspan(2), ElementsAre(0, 0));
}

TEST(SimulatedClicksTest, DrawsListsAndRankingsUniformly) {
  const Simulation data({{1, 2}, {3, 4}, {0, 0}});
  ByRelevance random;
  random.strength = 0;
  constexpr int draws = 12000;
  const SessionLog log =
      simulate(data, options_of("{rankings: 2, aggregate: false}"), random, {.sessions = draws});
  std::map<std::uint64_t, double> shares;
  for (std::size_t i = 0; i < log.sessions(); ++i) shares[log[i].query] += 1. / draws;
  EXPECT_EQ(shares.size(), 3u);
  for (const auto& [query, share] : shares)
    EXPECT_NEAR(share, 1 / 3., 4 * std::sqrt(1 / 3. * 2 / 3. / draws)) << query;
}

TEST(SimulatedClicksSlowTest, ClickRatesAreTheClosedFormForEveryPolicyAndUser) {
  const Simulation data({{4, 2.5, 1, 0}});
  constexpr int draws = 40000;
  std::vector<ByRelevance> policies(6);
  policies[1].strength = -1;
  policies[2].strength = 0.4;
  policies[3].temperature = 0.5;
  policies[4].epsilon = 0.5;
  policies[5].plackett_luce = 1;
  for (const OptionType& type : independent_user_types())
    for (const ByRelevance& policy : policies)
      for (const double noise : {0., 0.1}) {
        SimulatedClickOptions options;
        options.aggregate = false;
        options.positions = 3;
        options.click_noise = noise;
        const Choice user(independent_user_types(), type.name);
        const SessionLog log =
            simulate(data, options, policy, {.sessions = draws}, user.as<SimulatedUserOptions>());
        // Numbers of clicks and displays of each document at each position.
        std::map<std::pair<std::size_t, std::uint32_t>, std::pair<double, double>> seen;
        for (std::size_t i = 0; i < log.sessions(); ++i)
          for (std::size_t k = 0; k < 3; ++k) {
            auto& [clicks, displays] = seen[{k, log[i].rows[k]}];
            clicks += log[i].clicks[k];
            ++displays;
          }
        EXPECT_EQ(seen.size(), policy.draws_orders() ? 12u : 3u);
        for (const auto& [place, counts] : seen) {
          const double rank = static_cast<double>(place.first + 1),
                       s = data.by_number[place.second - 6];
          const double gain = (std::exp2(s) - 1) / 15;
          const std::map<std::string, double> closed_forms = {
              {"additive", 1 / (1 + std::exp(std::log(rank) - s + 2))},
              {"position_based", (0.1 + 0.9 * gain) / rank},
              {"trust_bias", (0.98 * gain + 0.65 / rank * (1 - gain)) / rank}};
          const double clean = closed_forms.at(type.name);
          const double p = clean * (1 - noise) + (1 - clean) * noise;
          EXPECT_NEAR(counts.first / counts.second, p, 4 * std::sqrt(p * (1 - p) / counts.second))
              << type.name << " rank " << rank << " row " << place.second;
        }
      }
}

TEST(SimulatedClicksTest, AggregatingIsTheMeanOverTheSessionsOfEachRanking) {
  const Simulation data({{3, 2, 0}, {4, 1}});
  ByRelevance policy;
  policy.strength = 0;
  const SessionLog rates = simulate(data, options_of("{rankings: 2}"), policy, {.sessions = 500});
  const SessionLog each =
      simulate(data, options_of("{rankings: 2, aggregate: false}"), policy, {.sessions = 500});
  ASSERT_EQ(rates.sessions(), 4u);
  EXPECT_THAT(rates[0].clicks, Each(0));
  std::map<std::vector<std::uint32_t>, std::pair<double, std::vector<double>>> sums;
  for (std::size_t i = 0; i < each.sessions(); ++i) {
    auto& [count, clicks] = sums[{each[i].rows.begin(), each[i].rows.end()}];
    ++count;
    clicks.resize(each.length(i));
    for (std::size_t k = 0; k < clicks.size(); ++k) clicks[k] += each[i].clicks[k];
  }
  // Two rankings of a list may be the same order by chance; with this seed they are not.
  ASSERT_EQ(sums.size(), 4u);
  for (std::size_t i = 0; i < rates.sessions(); ++i) {
    const auto& [count, clicks] = sums.at({rates[i].rows.begin(), rates[i].rows.end()});
    for (std::size_t k = 0; k < clicks.size(); ++k)
      EXPECT_FLOAT_EQ(rates[i].targets[k], static_cast<float>(clicks[k] / count));
    EXPECT_EQ(rates[i].query, i < 2 ? 100u : 101u) << "list after list";
  }
}

/// Sessions that are counted without being made have the clicks of those that are made.
TEST(SimulatedClicksTest, IndependentUsersClickTheSameWhereSessionsAreOnlyCounted) {
  const Simulation data({{3, 2, 0, 1, 4}, {4, 1}, {2, 2, 2}});
  const SimulatedClickOptions options =
      options_of("{rankings: 2, positions: 4, cut_off: 3, click_noise: 0.2}");
  ByRelevance how;
  how.strength = 0.5;
  for (const OptionType& type : independent_user_types()) {
    const Choice user(independent_user_types(), type.name);
    const auto& user_options = user.as<SimulatedUserOptions>();
    const LoggingPolicy policy(data.lists, data.rows, data.relevance, how, 2, 5);
    UsersOfLists users(user_options, {.relevance = data.by_number, .positions = 4, .seed = 5});
    const SimulationRun run = {.sessions = 3000, .seed = 5, .threads = 3};
    ASSERT_TRUE(users.independent) << type.name;
    const Sessions counted =
        all(simulate_clicks(data.lists, data.rows, policy, users, options, run));
    users.independent.reset();
    EXPECT_EQ(counted, all(simulate_clicks(data.lists, data.rows, policy, users, options, run)))
        << type.name;
  }
}

/// Weighted by inverse propensities, rates by ranking have the sums of single sessions that are
/// weighted by 1/π(d, k), with π counted in sessions.
TEST(SimulatedClicksTest, PropensitiesOfAggregatedSessionsCountSessions) {
  const Simulation data({{3, 2, 0}, {4, 1}});
  ByRelevance policy;
  policy.strength = 0.3;  // several rankings share a document's position
  const SimulationRun run = {.sessions = 40};
  const SessionLog rates = simulate(data, options_of("{rankings: 3}"), policy, run);
  const SessionLog each =
      simulate(data, options_of("{rankings: 3, aggregate: false}"), policy, run);
  ASSERT_EQ(rates.sessions(), 6u);
  using Place = std::pair<std::uint32_t, std::size_t>;
  std::map<std::uint64_t, double> sessions;
  std::map<Place, double> shown, clicks;
  std::map<Place, std::uint64_t> query;
  for (std::size_t i = 0; i < each.sessions(); ++i) {
    ++sessions[each[i].query];
    for (std::size_t k = 0; k < each.length(i); ++k) {
      const Place place = {each[i].rows[k], k};
      query[place] = each[i].query;
      ++shown[place];
      clicks[place] += each[i].clicks[k];
    }
  }
  std::map<Place, double> weights, weighted;
  for (std::size_t i = 0; i < rates.sessions(); ++i)
    for (std::size_t k = 0; k < rates.length(i); ++k) {
      const Place place = {rates[i].rows[k], k};
      weights[place] += 1 / rates[i].propensities[k];
      weighted[place] += rates[i].targets[k] / rates[i].propensities[k];
    }
  ASSERT_EQ(weights.size(), shown.size());
  for (const auto& [place, count] : shown) {
    const double rankings = 3, per_session = rankings / sessions[query[place]];
    EXPECT_NEAR(weights[place], rankings, 1e-5);
    EXPECT_NEAR(weighted[place], per_session * clicks[place] / (count / sessions[query[place]]),
                1e-5);
  }
}

TEST(SimulatedClicksTest, ListsThatNoSessionWasShownAreLeftOut) {
  const Simulation data(std::vector<std::vector<double>>(50, {1, 2}));
  const SessionLog log = simulate(data, {}, ByRelevance(), {.sessions = 10});
  EXPECT_LE(log.sessions(), 10u);
  EXPECT_GE(log.sessions(), 1u);
}

TEST(SimulatedClicksTest, ASeedGivesTheSameLogOnAnyNumberOfThreads) {
  const Simulation data({{3, 2, 0, 1, 4}, {4, 1}, {2, 2, 2}});
  ByRelevance policy;
  policy.strength = 0.5;
  for (const bool aggregate : {true, false}) {
    SimulatedClickOptions options;
    options.aggregate = aggregate;
    options.click_noise = 0.1;
    if (!aggregate) policy.temperature = policy.epsilon = policy.plackett_luce = 0.5;
    const auto log = [&](int threads, std::uint64_t seed, Split part) {
      return all(simulate(data, options, aggregate ? ByRelevance() : policy,
                          {.sessions = 30000, .seed = seed, .part = part, .threads = threads}));
    };
    const Sessions one = log(1, 1, Split::train);
    for (const int threads : {2, 3, 8}) EXPECT_EQ(one, log(threads, 1, Split::train)) << threads;
    EXPECT_NE(one, log(1, 2, Split::train)) << "another seed";
    EXPECT_NE(one, log(1, 1, Split::valid)) << "another part";
  }
}

TEST(SimulatedClicksTest, PartsHaveAsManySessionsAList) {
  SimulatedClickOptions options;
  options.sessions = 1000;
  EXPECT_EQ(sessions_of_part(options, 20, 20), 1000);
  EXPECT_EQ(sessions_of_part(options, 5, 20), 250);
  EXPECT_EQ(sessions_of_part(options, 1, 3), 333);
  options.sessions = 1;
  EXPECT_EQ(sessions_of_part(options, 1, 20), 1);
}

TEST(SimulatedClicksTest, RejectsNumbersOutOfRange) {
  for (const std::string wrong :
       {"{sessions: 0}", "{positions: 0}", "{rankings: 0}", "{click_noise: 1.1}",
        "{click_noise: -0.1}", "{policy_strength: 1}"})
    EXPECT_THROW(options_of(wrong), ConfigError) << wrong;
  ByRelevance policy;
  for (const std::string wrong : {"{strength: 1.1}", "{strength: -1.1}", "{temperature: 2}",
                                  "{epsilon: -0.5}", "{plackett_luce: -1}"})
    EXPECT_THROW(read_options(parse_config(wrong, "test"), policy), ConfigError) << wrong;
}

TEST(SimulatedClicksTest, DocumentsThatShareARowKeepTheirOwnRelevance) {
  Simulation data({{4, 0}});
  data.rows = {7, 7};
  const SimulatedClickOptions options = options_of("{aggregate: true, positions: 2}");
  ByRelevance best_first;
  const SessionLog log = simulate(data, options, best_first, {.sessions = 20000});
  ASSERT_EQ(log.sessions(), 1u);
  EXPECT_THAT(log[0].rows, ElementsAre(7, 7));
  const std::size_t best = log[0].targets[0] > log[0].targets[1] ? 0 : 1;
  // Within 4 standard errors of P(examined) = 1 / rank times P(click | examined).
  const double p = attractiveness(4, 0.1) / static_cast<double>(best + 1);
  const double other = attractiveness(0, 0.1) / static_cast<double>(2 - best);
  EXPECT_NEAR(log[0].targets[best], p, 4 * std::sqrt(p * (1 - p) / 20000) + 1e-6);
  EXPECT_NEAR(log[0].targets[1 - best], other, 4 * std::sqrt(other * (1 - other) / 20000));
}

}  // namespace
}  // namespace ultr::simulated_clicks_test
