#include "data/simulation/logging_policy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/features/feature_lists_builder.h"
#include "options/read.h"
#include "testing/errors.h"

namespace ultr::logging_policy_test {
namespace {

using ::testing::ElementsAre;

/// Lists of the given lengths. The feature of a document is its number over all lists.
FeatureLists lists_of(const std::vector<std::size_t>& lengths) {
  FeatureListsBuilder builder(1);
  float document = 0;
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    builder.start_list(l);
    for (std::size_t k = 0; k < lengths[l]; ++k) builder.add({}, 1)[0] = document++;
  }
  return builder.build();
}

struct Given final : LoggingPolicyOptions {
  PolicyScores fit(const PolicyTraining&) const override { return {}; }
};

/// A policy over one list with the given scores.
LoggingPolicy policy_of(const std::vector<double>& scores, const Given& options,
                        std::size_t rankings = 1, std::uint64_t seed = 1) {
  std::vector<std::uint32_t> rows(scores.size());
  std::iota(rows.begin(), rows.end(), 1u);
  return {lists_of({scores.size()}), rows, scores, options, rankings, seed};
}

/// Returns the order that session `number` shows.
std::vector<std::uint32_t> order_of(const LoggingPolicy& policy, std::uint64_t number,
                                    std::size_t shown = 100, std::size_t ranking = 0) {
  std::vector<std::uint32_t> order;
  RandomStream random(1, RandomPurpose::testing, 0, number);
  policy.rank(0, ranking, shown, random, order);
  return order;
}

/// Returns the share of sessions that show each order.
std::map<std::vector<std::uint32_t>, double> order_shares(const LoggingPolicy& policy, int sessions,
                                                          std::size_t shown = 100) {
  std::map<std::vector<std::uint32_t>, double> shares;
  for (int s = 0; s < sessions; ++s)
    shares[order_of(policy, static_cast<std::uint64_t>(s), shown)] += 1. / sessions;
  return shares;
}

/// Returns four standard errors of a share over `draws` draws whose probability is `p`.
double four_errors(double p, int draws) { return 4 * std::sqrt(p * (1 - p) / draws); }

TEST(LoggingPolicyTest, StrengthOneSortsByScoresAndMinusOneFromTheBottom) {
  Given options;
  const std::vector<double> scores = {1, 4, 0, 3, 3};
  EXPECT_THAT(order_of(policy_of(scores, options), 0), ElementsAre(1, 3, 4, 0, 2)) << "ties stay";
  EXPECT_THAT(order_of(policy_of(scores, options), 0, 2), ElementsAre(1, 3));
  options.strength = -1;
  EXPECT_THAT(order_of(policy_of(scores, options), 0), ElementsAre(2, 0, 3, 4, 1));
}

TEST(LoggingPolicyTest, StrengthZeroIsOneRandomOrderForAllSessions) {
  Given options;
  options.strength = 0;
  const std::vector<double> scores = {4, 3, 2, 1};
  EXPECT_EQ(order_shares(policy_of(scores, options), 50).size(), 1u);
  // Over many seeds, every order is equally frequent, whatever the scores.
  constexpr int draws = 4800;
  std::map<std::vector<std::uint32_t>, double> shares;
  for (int seed = 0; seed < draws; ++seed)
    shares[order_of(policy_of(scores, options, 1, static_cast<std::uint64_t>(seed)), 0)] +=
        1. / draws;
  EXPECT_EQ(shares.size(), 24u);
  for (const auto& [order, share] : shares)
    EXPECT_NEAR(share, 1 / 24., four_errors(1 / 24., draws));
}

TEST(LoggingPolicyTest, StrengthMixesScoresAndNoiseOfThePair) {
  Given options;
  const std::vector<double> scores = {4, 0.5, 2}, none = {0, 0, 0};
  const auto mixed = [&](const std::vector<double>& of, double strength) {
    options.strength = strength;
    const LoggingPolicy policy = policy_of(of, options);
    return std::vector<double>(policy.scores(0).begin(), policy.scores(0).end());
  };
  const std::vector<double> u = mixed(none, 0);
  for (const double strength : {0.3, 0.9, -0.3}) {
    const double share = std::abs(strength), sign = strength < 0 ? -1 : 1;
    const std::vector<double> s = mixed(scores, strength);
    for (std::size_t i = 0; i < s.size(); ++i)
      EXPECT_DOUBLE_EQ(s[i], sign * (share * scores[i] + (1 - share) * u[i]));
  }
  for (const double x : u) {
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 4);
  }
}

TEST(LoggingPolicyTest, NoiseIsThatOfThePairWhereverItStands) {
  Given options;
  options.strength = 0;
  const FeatureLists lists = lists_of({2, 3});
  const std::vector<double> scores(5);
  const LoggingPolicy one(lists, std::vector<std::uint32_t>{7, 8, 8, 9, 7}, scores, options, 1, 3);
  EXPECT_EQ(one.scores(0)[1], one.scores(1)[0]);
  EXPECT_EQ(one.scores(0)[0], one.scores(1)[2]);
  EXPECT_NE(one.scores(0)[0], one.scores(0)[1]);
}

TEST(LoggingPolicyTest, EachRankingHasNoiseOfItsOwn) {
  Given options;
  options.strength = 0;
  const LoggingPolicy policy = policy_of(std::vector<double>(30), options, 3);
  EXPECT_EQ(policy.rankings(), 3u);
  EXPECT_NE(order_of(policy, 0, 30, 0), order_of(policy, 0, 30, 1));
  EXPECT_NE(order_of(policy, 0, 30, 1), order_of(policy, 0, 30, 2));
  EXPECT_EQ(order_of(policy, 0, 30, 0), order_of(policy_of(std::vector<double>(30), options), 0));
}

TEST(LoggingPolicyTest, TemperatureOneShowsUniformOrders) {
  Given options;
  options.temperature = 1;
  EXPECT_TRUE(options.draws_orders());
  constexpr int draws = 24000;
  const auto shares = order_shares(policy_of({4, 3, 2, 1}, options), draws);
  EXPECT_EQ(shares.size(), 24u);
  for (const auto& [order, share] : shares)
    EXPECT_NEAR(share, 1 / 24., four_errors(1 / 24., draws));
  const auto pairs = order_shares(policy_of({4, 3, 2, 1}, options), draws, 2);
  EXPECT_EQ(pairs.size(), 12u) << "the first two";
  for (const auto& [order, share] : pairs) EXPECT_NEAR(share, 1 / 12., four_errors(1 / 12., draws));
}

TEST(LoggingPolicyTest, TemperatureIsTheShareOfRandomOrders) {
  Given options;
  options.temperature = 0.3;
  constexpr int draws = 24000;
  const auto shares = order_shares(policy_of({4, 3, 2, 1}, options), draws);
  const std::vector<std::uint32_t> best = {0, 1, 2, 3};
  for (const auto& [order, share] : shares) {
    const double p = (order == best ? 0.7 : 0) + 0.3 / 24;
    EXPECT_NEAR(share, p, four_errors(p, draws));
  }
}

TEST(LoggingPolicyTest, EpsilonReplacesTheBestAtEachRank) {
  Given options;
  options.epsilon = 0.4;
  constexpr int draws = 24000;
  const auto shares = order_shares(policy_of({3, 2, 1}, options), draws);
  // At each rank, the best of the n documents left has probability 1 - ε + ε/n, the others ε/n.
  const auto p = [](const std::vector<std::uint32_t>& order) {
    double product = 1;
    std::vector<std::uint32_t> left = {0, 1, 2};
    for (const std::uint32_t document : order) {
      product *= (document == left.front() ? 0.6 : 0) + 0.4 / static_cast<double>(left.size());
      left.erase(std::find(left.begin(), left.end(), document));
    }
    return product;
  };
  EXPECT_EQ(shares.size(), 6u);
  for (const auto& [order, share] : shares)
    EXPECT_NEAR(share, p(order), four_errors(p(order), draws));
}

TEST(LoggingPolicyTest, GumbelNoiseDrawsFromThePlackettLuceModel) {
  Given options;
  options.plackett_luce = 2;
  constexpr int draws = 24000;
  const std::vector<double> scores = {4, 3, 1};
  const auto shares = order_shares(policy_of(scores, options), draws);
  const auto p = [&](const std::vector<std::uint32_t>& order) {
    double product = 1, left = 0;
    for (const double s : scores) left += std::exp(s / 2);
    for (const std::uint32_t document : order) {
      product *= std::exp(scores[document] / 2) / left;
      left -= std::exp(scores[document] / 2);
    }
    return product;
  };
  EXPECT_EQ(shares.size(), 6u);
  for (const auto& [order, share] : shares)
    EXPECT_NEAR(share, p(order), four_errors(p(order), draws));
  // The first rank is drawn from a softmax of the scores.
  for (const auto& [first, share] : order_shares(policy_of(scores, options), draws, 1)) {
    const double softmax =
        std::exp(scores[first[0]] / 2) / (std::exp(4 / 2.) + std::exp(3 / 2.) + std::exp(1 / 2.));
    EXPECT_NEAR(share, softmax, four_errors(softmax, draws));
  }
}

TEST(LoggingPolicyTest, WithoutDrawsEverySessionShowsOneOrder) {
  Given options;
  options.strength = 0.5;
  EXPECT_FALSE(options.draws_orders());
  EXPECT_EQ(order_shares(policy_of({4, 3, 2, 1}, options), 100).size(), 1u);
}

TEST(ScoreScaleTest, MapsThePercentilesToTheRangeOfRelevance) {
  std::vector<double> scores;
  for (int i = 0; i <= 100; ++i) scores.push_back((50 - i) / 5.0);  // -10 to 10
  const auto scale = score_scale(scores);
  EXPECT_DOUBLE_EQ(scale(-9), 0);
  EXPECT_DOUBLE_EQ(scale(9), 4);
  EXPECT_DOUBLE_EQ(scale(0), 2);
  EXPECT_LT(scale(-10), 0) << "not cut";
  EXPECT_DOUBLE_EQ(score_scale({3, 3, 3})(5), 2) << "a shift";
  ::testing::internal::CaptureStderr();
  score_scale({1, 2, 2});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ::testing::internal::CaptureStderr();
  score_scale({3, 3, 3});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("gives all 3 training documents the same score"));
  EXPECT_THROW(score_scale({}), Error);
}

/// Lists whose documents have one feature x, uniform on [0, 1), and relevance 4 x.
struct Learnable {
  FeatureLists lists;
  std::vector<double> relevance;

  explicit Learnable(std::uint64_t seed) {
    FeatureListsBuilder builder(1);
    RandomStream random(seed, RandomPurpose::testing, 0, 0);
    for (int l = 0; l < 40; ++l) {
      builder.start_list(static_cast<std::uint64_t>(l));
      for (int k = 0; k < 15; ++k) {
        const auto x = static_cast<float>(random.uniform());
        builder.add({}, 1)[0] = x;
        relevance.push_back(4. * x);
      }
    }
    lists = builder.build();
  }
};

const LoggingPolicyOptions& policy_type(const std::string& name, std::vector<Choice>& keep) {
  keep.emplace_back(untrained_policy_types(), name);
  return keep.back().as<LoggingPolicyOptions>();
}

/// Returns the share of the pairs of documents whose relevance differs by 2 or more that scores
/// order right.
double concordance(const std::vector<double>& scores, const std::vector<double>& relevance) {
  double concordant = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(relevance[i] - relevance[j]) < 2) continue;
      ++pairs;
      concordant += (scores[i] > scores[j]) == (relevance[i] > relevance[j]);
    }
  return concordant / pairs;
}

TEST(PolicyScoresTest, OfRelevanceAreRelevance) {
  std::vector<Choice> keep;
  const Learnable train(1), test(2);
  EXPECT_EQ(policy_type("relevance", keep)
                .fit({train.lists, train.relevance})(test.lists, test.relevance),
            test.relevance);
}

TEST(PolicyScoresTest, OfAFeatureOrderDocumentsByIt) {
  FeatureListsBuilder builder(2);
  for (const auto& values : {std::vector<float>{5, 1, 3, 2}, {0, 7}}) {
    builder.start_list(values.size());
    for (const float value : values) builder.add({})[1] = value;
  }
  const FeatureLists lists = builder.build();
  const std::vector<double> unknown(lists.documents());
  const auto scores = [&](const std::string& feature) {
    std::vector<Choice> keep;
    policy_type("feature", keep);
    read_options(parse_config("{feature: " + feature + "}", "options"), *keep[0].options);
    return keep[0].as<LoggingPolicyOptions>().fit({lists, unknown})(lists, unknown);
  };
  // Of six values, the 5th percentile is the lowest, and the 95th the second highest.
  EXPECT_THAT(scores("2"), ::testing::Pointwise(::testing::DoubleEq(),
                                                std::vector<double>{4, 0.8, 2.4, 1.6, 0, 5.6}));
  EXPECT_EQ(testing::data_message([&] { scores("3"); }),
            "data.learn_from.policy.feature is 3 and the lists have 2 features; expected the "
            "number of one of them");
}

/// Returns one list of documents with one feature, which may be missing.
FeatureLists with_gaps(const std::vector<float>& values) {
  FeatureListsBuilder builder(1);
  builder.allow_missing(0);
  builder.start_list(1);
  for (const float value : values) builder.add({})[0] = value;
  return builder.build();
}

TEST(PolicyScoresTest, OfAFeaturePutDocumentsThatLackItLast) {
  const float missing = std::nanf("");
  std::vector<Choice> keep;
  const LoggingPolicyOptions& policy = policy_type("feature", keep);
  const auto scores = [&](const std::vector<float>& train, const std::vector<float>& ranked) {
    const FeatureLists train_lists = with_gaps(train), ranked_lists = with_gaps(ranked);
    const std::vector<double> unknown(train.size()), its_unknown(ranked.size());
    return policy.fit({train_lists, unknown})(ranked_lists, its_unknown);
  };
  // The 5th percentile of the six known values is 0 and the 95th is 5, so that a score is 0.8 times
  // the value.
  const std::vector<float> train = {5, missing, 1, 3, 2, missing, 0, 7};
  EXPECT_THAT(scores(train, train),
              ::testing::Pointwise(::testing::DoubleEq(),
                                   std::vector<double>{4, -1, 0.8, 2.4, 1.6, -1, 0, 5.6}));
  EXPECT_THAT(scores(train, {missing, -5, 5}),
              ::testing::Pointwise(::testing::DoubleEq(), std::vector<double>{-5, -4, 4}));
  EXPECT_EQ(testing::data_message([&] {
              scores({missing, missing}, {1});
            }),
            "data.learn_from.policy.feature is 1, which is missing in all 2 training documents; "
            "expected a feature that some have");
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(scores({2, missing, 2}, {missing, 2}), ElementsAre(-1, 0));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "it tells two from one";
}

TEST(PolicyScoresTest, OfLambdaMartAreLearnedFromTrainingLists) {
  std::vector<Choice> keep;
  const Learnable train(1), test(2);
  const LoggingPolicyOptions& trees = policy_type("lambdamart", keep);
  const PolicyScores fitted = trees.fit({train.lists, train.relevance, 3});
  const std::vector<double> unknown(test.relevance.size());
  const std::vector<double> scores = fitted(test.lists, unknown);
  ASSERT_EQ(scores.size(), test.relevance.size());
  EXPECT_GT(concordance(scores, test.relevance), 0.95);
  // Scores are on the scale of relevance: at most 5 % of the training documents are below 0, and at
  // most 5 % above 4.
  const std::vector<double> own = fitted(train.lists, train.relevance);
  const auto share = [&](auto condition) {
    return static_cast<double>(std::count_if(own.begin(), own.end(), condition)) /
           static_cast<double>(own.size());
  };
  EXPECT_LE(share([](double s) { return s < 0; }), 0.05);
  EXPECT_LE(share([](double s) { return s > 4 + 1e-9; }), 0.05);
  EXPECT_EQ(scores, trees.fit({train.lists, train.relevance, 3})(test.lists, unknown));
  EXPECT_NE(scores, trees.fit({train.lists, train.relevance, 4})(test.lists, unknown))
      << "other training lists";
  FeatureListsBuilder none;
  none.start_list(1);
  none.add({});
  const FeatureLists without = none.build();
  const std::vector<double> one = {1};
  EXPECT_EQ(testing::data_message([&] {
              trees.fit({without, one});
            }),
            "the lists have no features; expected some that a policy can learn from");
}

TEST(PolicyScoresTest, OfACrossFittedPolicyKnowNothingOfTheirOwnLists) {
  const Learnable train(1), test(2);
  const Choice choice(untrained_policy_types(), "lambdamart");
  read_options(parse_config("{queries: 100, folds: 4}", "options"), *choice.options);
  const auto& policy = choice.as<LoggingPolicyOptions>();
  const std::vector<double> before =
      policy.fit({train.lists, train.relevance, 3})(train.lists, train.relevance);
  // Turn the relevance of a list around. The scores of its own fold stay; those of others change.
  std::vector<double> other = train.relevance;
  for (std::size_t i = 0; i < 15; ++i) other[i] = 4 - other[i];
  const std::vector<double> after = policy.fit({train.lists, other, 3})(train.lists, other);
  std::size_t same = 0;
  for (std::size_t l = 0; l < 40; ++l)
    same += std::equal(before.begin() + static_cast<std::ptrdiff_t>(15 * l),
                       before.begin() + static_cast<std::ptrdiff_t>(15 * (l + 1)),
                       after.begin() + static_cast<std::ptrdiff_t>(15 * l));
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 15, after.begin()));
  EXPECT_GE(same, 4u);
  EXPECT_LE(same, 16u) << "about one fold in four";

  const std::vector<double> unknown(test.relevance.size());
  const std::vector<double> scores =
      policy.fit({train.lists, train.relevance, 3})(test.lists, unknown);
  EXPECT_GT(concordance(scores, test.relevance), 0.9) << "other lists have folds, too";

  FeatureListsBuilder one(1);
  one.start_list(1);
  one.add({})[0] = 1;
  const FeatureLists single = one.build();
  const std::vector<double> relevance = {1};
  EXPECT_EQ(testing::data_message([&] {
              policy.fit({single, relevance});
            }),
            "all 1 training lists are in one of 4 folds; expected more lists for a policy to be "
            "trained on those outside a fold");
}

}  // namespace
}  // namespace ultr::logging_policy_test
