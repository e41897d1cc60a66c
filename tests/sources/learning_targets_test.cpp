#include "sources/learning_targets.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "commands/built_in_registry.h"
#include "data/features/feature_lists_builder.h"
#include "testing/errors.h"
#include "testing/small_log.h"

namespace ultr::learning_targets_test {
namespace {

std::unique_ptr<Options> targets(const std::string& config) {
  const Registry& registry = testing::registry();
  auto made = target_types(registry.models(), registry.layers(), built_in_registry).back().make();
  testing::configure(*made, config);
  dynamic_cast<TargetOptions&>(*made).check();
  return made;
}

/// Returns thirty lists of six documents with two features: the label, and noise.
const FeatureLists& lists() {
  static const FeatureLists made = [] {
    FeatureListsBuilder builder(2);
    RandomStream random(1, RandomPurpose::testing, 0, 0);
    for (std::uint64_t l = 0; l < 30; ++l) {
      builder.start_list(l + 1);
      for (int k = 0; k < 6; ++k) {
        const auto label = static_cast<std::int32_t>(random.below(5));
        const auto row = builder.add({.label = label}, 2);
        row[0] = static_cast<float>(label);
        row[1] = static_cast<float>(random.uniform());
      }
    }
    return builder.build();
  }();
  return made;
}

LearningSessions sessions(const std::string& config, int threads = 1, Split part = Split::train) {
  std::vector<std::uint32_t> rows(lists().documents());
  std::iota(rows.begin(), rows.end(), 1u);
  const auto made = targets(config);
  return dynamic_cast<TargetOptions&>(*made).fit(lists(), rows, {.seed = 3, .threads = threads})(
      lists(), rows, part);
}

/// Returns the mean label of the documents shown at the top.
double label_on_top(const SessionLog& log) {
  double sum = 0;
  for (std::size_t i = 0; i < log.sessions(); ++i)
    sum += lists().columns().labels[log[i].rows[0] - 1];
  return sum / static_cast<double>(log.sessions());
}

TEST(SimulatedClickTargetsTest, NobodyExaminesWhatIsBelowTheCutOff) {
  const auto bias_of = [](const std::string& config) {
    return dynamic_cast<TargetOptions&>(*targets(config)).position_bias(3);
  };
  EXPECT_THAT(bias_of("{user: position_based, cut_off: 2}")->by_rank,
              ::testing::ElementsAre(1, 0.5, 0));
  EXPECT_TRUE(bias_of("{user: additive, cut_off: 3}"));
  EXPECT_FALSE(bias_of("{user: additive, cut_off: 2}"));  // a logit of minus infinity
}

TEST(SimulatedClickTargetsTest, EveryPolicyShowsWhatItScoresHighest) {
  for (const std::string policy :
       {"relevance", "{type: lambdamart, queries: 30}", "{type: tower, epochs: 60}"}) {
    const LearningSessions made =
        sessions("{aggregate: false, sessions: 300, policy: " + policy + "}");
    EXPECT_EQ(made.policy_scores.size(), lists().documents());
    for (std::size_t i = 0; i < made.log.sessions(); ++i)
      for (std::size_t k = 1; k < made.log.length(i); ++k)
        EXPECT_GE(made.policy_scores[made.log[i].rows[k - 1] - 1],
                  made.policy_scores[made.log[i].rows[k] - 1])
            << policy;
    EXPECT_GT(label_on_top(made.log), 3) << policy;
  }
  EXPECT_LT(label_on_top(sessions("{aggregate: false, sessions: 300, policy: {strength: -1}}").log),
            1);
}

TEST(SimulatedClickTargetsTest, ASeedGivesTheSameSessionsOnAnyNumberOfThreads) {
  for (const std::string config :
       {"{aggregate: false, policy: {type: tower, temperature: 0.5}, user: additive}",
        "{aggregate: false, policy: {type: lambdamart, plackett_luce: 1}, user: {type: "
        "click_model, model: dbn}}",
        "{rankings: 2, policy: {strength: 0.3}}"}) {
    const std::string options = config.substr(0, config.size() - 1) + ", sessions: 9000}";
    const auto of = [&](int threads) {
      const LearningSessions made = sessions(options, threads);
      std::vector<float> targets;
      for (std::size_t i = 0; i < made.log.sessions(); ++i)
        targets.insert(targets.end(), made.log[i].targets.begin(), made.log[i].targets.end());
      return std::tuple(testing::sessions_of(made.log), targets, made.policy_scores);
    };
    EXPECT_EQ(of(1), of(2)) << config;
    EXPECT_EQ(of(1), of(5)) << config;
  }
}

TEST(SimulatedClickTargetsTest, PartsHaveDifferentSessions) {
  EXPECT_NE(
      testing::sessions_of(sessions("{aggregate: false, sessions: 100}").log),
      testing::sessions_of(sessions("{aggregate: false, sessions: 100}", 1, Split::valid).log));
}

TEST(SimulatedClickTargetsTest, ThePolicyMayChangeOnTestLists) {
  const std::string reverse = "{aggregate: false, sessions: 300, test_strength: -1}";
  EXPECT_GT(label_on_top(sessions(reverse, 1, Split::train).log), 3);
  EXPECT_GT(label_on_top(sessions(reverse, 1, Split::valid).log), 3);
  const LearningSessions test = sessions(reverse, 1, Split::test),
                         same = sessions("{aggregate: false, sessions: 300}", 1, Split::test);
  EXPECT_LT(label_on_top(test.log), 1);
  EXPECT_GT(label_on_top(same.log), 3);
  EXPECT_EQ(test.policy_scores, same.policy_scores) << "of the policy that logged the training";
}

TEST(SimulatedClickTargetsTest, RejectsAggregationOfRandomOrders) {
  for (const std::string draws : {"temperature", "epsilon", "plackett_luce"})
    EXPECT_EQ(testing::config_message([&] { targets("{policy: {" + draws + ": 0.5}}"); }),
              "data.learn_from.aggregate: the policy draws a new order for each session; "
              "expected aggregate: false, or temperature, epsilon and plackett_luce 0");
  EXPECT_NO_THROW(targets("{aggregate: false, policy: {temperature: 0.5}}"));
}

}  // namespace
}  // namespace ultr::learning_targets_test
