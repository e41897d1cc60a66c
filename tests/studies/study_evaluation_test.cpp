#include "studies/study_evaluation.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/significance.h"
#include "studies/run_study.h"
#include "studies/small_study.h"
#include "testing/errors.h"

namespace ultr::study_evaluation_test {
namespace {

using testing::config_message;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::on_axis;
using ::testing::Pair;
using testing::SmallStudy;

/// Three variants along an axis, one that does not vary it, and three seeds. Variant number v has
/// x = 10 v + tau + seed / 100 and the list x, 2 x, 3 x.
class StudyEvaluationTest : public ::testing::Test {
 protected:
  static std::string yaml(const std::vector<std::string>& claims) {
    std::string text = R"(
study: small
experiment: {}
grid: {tau: {key: t, values: [0, 0.5, 1]}, seed: 1..3}
variants: {a: {}, b: {}, c: {}, fixed: {grid: {tau: 0}}}
measures: {x: test.x, list: test.list, missing: test.missing}
expect:
)";
    for (const std::string& claim : claims) text += "  - \"" + claim + "\"\n";
    return text;
  }
  static double x(const StudyPoint& point) {
    return 10 * testing::variant_of(point, {"a", "b", "c", "fixed"}) + on_axis(point, "tau") +
           on_axis(point, "seed") / 100;
  }
  static std::map<std::string, double> results(const StudyPoint& point) {
    return {{"test.x", x(point)},
            {"test.list.1", x(point)},
            {"test.list.2", 2 * x(point)},
            {"test.list.3", 3 * x(point)}};
  }
  static std::vector<ExpectationResult> evaluate(const std::vector<std::string>& claims,
                                                 const std::vector<std::string>& overrides = {}) {
    SmallStudy small(yaml(claims), overrides);
    check_study(small.study);
    return evaluate_expectations(small.table(results));
  }
  static ExpectationStatus status(const std::string& claim) { return evaluate({claim})[0].status; }
  static std::string message(const std::string& claim) {
    return config_message([&] { evaluate({claim}); });
  }
};

TEST_F(StudyEvaluationTest, ReferencesAreMeansOverSeeds) {
  const ExpectationResult result = evaluate({"a.x(tau=0.5) + 1 < b.x(tau=1) < 100"})[0];
  EXPECT_EQ(result.status, ExpectationStatus::held);
  ASSERT_EQ(result.comparisons.size(), 1u);
  const std::vector<double>& values = result.comparisons[0].values;
  EXPECT_NEAR(values[0], 0.5 + 0.02 + 1, 1e-12);
  EXPECT_NEAR(values[1], 10 + 1 + 0.02, 1e-12);
  EXPECT_EQ(values[2], 100);
}

TEST(RepetitionsTest, CollectionsArePairsAndTheirSeedsAreAveraged) {
  SmallStudy small(R"(
study: s
experiment: {}
grid: {seed: 1..2, collection: {key: data.reader.seed, values: 1..3}, size: {key: n, values: [1, 2]}}
over: [seed, collection]
variants: {a: {}, b: {}}
measures: {x: test.x}
expect: [significant(b.x > a.x) at size=2, a.x < 3 at size=1]
)");
  check_study(small.study);
  EXPECT_THAT(small.study.seeds, ElementsAre("1", "2", "3")) << "the collections";
  const StudyTable table = small.table([](const StudyPoint& point) {
    const auto at = [&](const std::string& axis) {
      return point.name[point.name.find(axis) + axis.size() + 1] - '0';
    };
    const double collection = at("collection"), seed = at("seed");
    const double gain = point.name[0] == 'b' ? 1 + 0.01 * collection * collection : 0;
    return std::map<std::string, double>{{"test.x", collection + gain + 0.5 * (seed - 1.5)}};
  });
  const std::vector<ExpectationResult> found = evaluate_expectations(table);
  const std::vector<double> a = {1, 2, 3}, b = {2.01, 3.04, 4.09};
  EXPECT_DOUBLE_EQ(found[0].comparisons[0].values[1], 2);
  EXPECT_NEAR(*found[0].comparisons[0].corrected_p, test_pairs(b, a).t_test.p_value, 1e-12);
  EXPECT_EQ(found[0].status, ExpectationStatus::held);
  EXPECT_EQ(found[1].status, ExpectationStatus::held);

  const auto message = [](const std::string& rest) {
    return config_message([&] {
      check_study(SmallStudy("{study: s, experiment: {}, grid: {seed: 1..2, collection: {key: l, "
                             "values: 1..3}}, measures: {x: y}, " +
                             rest)
                      .study);
    });
  };
  EXPECT_THAT(message("over: [seed, lists]}"), HasSubstr("unknown axis 'lists'"));
  EXPECT_THAT(message("over: collection, expect: [x > 1 for all collection]}"),
              HasSubstr("unknown axis 'collection'"))
      << "numbers are means over it";
}

TEST_F(StudyEvaluationTest, ScopesBindAxes) {
  EXPECT_EQ(status("b.x - a.x > 9.9 at tau=1"), ExpectationStatus::held);
  EXPECT_EQ(status("x > 20 at tau=1.0, variant=c"), ExpectationStatus::held);
  EXPECT_EQ(status("a.x(seed=3) > a.x(seed=1) at tau=0"), ExpectationStatus::held);
  EXPECT_EQ(status("a.x(tau=1) > a.x at tau=0"), ExpectationStatus::held)
      << "the nearer one counts";
  EXPECT_EQ(status("fixed.x > c.x at tau=1"), ExpectationStatus::held)
      << "fixed is one for all tau";
}

TEST_F(StudyEvaluationTest, ForAllGoesThroughEveryCombination) {
  const ExpectationResult some = evaluate({"a.x > 0.3 for all tau"})[0];
  EXPECT_EQ(some.status, ExpectationStatus::failed);
  ASSERT_EQ(some.comparisons.size(), 3u);
  EXPECT_FALSE(some.comparisons[0].held);
  EXPECT_TRUE(some.comparisons[1].held);
  EXPECT_EQ(some.comparisons[2].scope, "tau=1");
  EXPECT_EQ(status("a.x > 0.3 for all tau > 0"), ExpectationStatus::held);
  EXPECT_EQ(evaluate({"x > 0 for all tau > 0, tau < 1, variant != c, seed"})[0].comparisons.size(),
            3u * 3u);
}

TEST_F(StudyEvaluationTest, AllPartsOfAClaimMustHold) {
  EXPECT_EQ(status("a.x < 1 and b.x < 1 at tau=0"), ExpectationStatus::failed);
  EXPECT_EQ(status("a.x < 1 and b.x > 1 at tau=0"), ExpectationStatus::held);
}

TEST_F(StudyEvaluationTest, FunctionsGoOverAxesAndRanks) {
  const auto number = [&](const std::string& text) {
    return evaluate({text + " < 1000"})[0].comparisons.at(0).values[0];
  };
  EXPECT_NEAR(number("max(tau: a.x) - min(tau: a.x)"), 1, 1e-12);
  EXPECT_NEAR(number("mean(tau: a.x)"), (0 + 0.5 + 1) / 3 + 0.02, 1e-12);
  EXPECT_NEAR(number("a.list(tau=1)[3]"), 3 * 1.02, 1e-12);
  EXPECT_NEAR(number("max(rank: abs(a.list(tau=1) - 2))"), 3 * 1.02 - 2, 1e-12);
  EXPECT_NEAR(number("min(rank: abs(a.list(tau=1) - 2))"), 2 * 1.02 - 2, 1e-12);
  EXPECT_NEAR(number("mean(rank: a.list(tau=1) / a.list(tau=1)[1])"), 2, 1e-12);
  EXPECT_EQ(number("kendall_tau(rank: a.list(tau=1), -b.list(tau=1))"), -1);
  EXPECT_NEAR(number("max(rank: mean(tau > 0: a.list))"), 3 * (0.75 + 0.02), 1e-12);
  EXPECT_NEAR(number("min(rank: max(variant != fixed: list(tau=1)))"), 20 + 1.02, 1e-12);
  EXPECT_EQ(number("kendall_tau(variant: x(tau=0), x(tau=1))"), 1);
  EXPECT_EQ(number("kendall_tau(variant: x(tau=0), -x(tau=1))"), -1);
  EXPECT_EQ(number("chosen(variant: x(tau=0), x(tau=1))"), number("min(variant: x(tau=1))"));
  EXPECT_EQ(number("chosen(variant: -x(tau=0), x(tau=1))"), number("max(variant: x(tau=1))"));
  EXPECT_EQ(number("chosen(variant: -x(tau=0), x(tau=1), x(tau=0), 1)"),
            number("min(variant: x(tau=1))"));
  EXPECT_EQ(number("chosen(variant: -x(tau=0), x(tau=1), x(tau=0), 2)"), number("b.x(tau=1)"));
  // The sets of at least two variants are {a, b}, {a, c}, {b, c} and {a, b, c}.
  EXPECT_NEAR(number("chosen(variant != fixed: -x(tau=0), x(tau=1), x(tau=0), 2, 2)"),
              number("2 * b.x(tau=1) + 2 * c.x(tau=1)") / 4, 1e-12);
  EXPECT_EQ(number("chosen(variant: -x(tau=0), x(tau=1), x(tau=0), 9)"),
            number("max(variant: x(tau=1))"));
  EXPECT_NEAR(number("abs(-1) + min(4, 2, 3) * max(4, 5) - mean(1, 2)"), 1 + 10 - 1.5, 1e-12);
  EXPECT_NEAR(number("log(2) + log(4)"), std::log(8.), 1e-12);
}

TEST_F(StudyEvaluationTest, ListsAreCombinedRankByRank) {
  SmallStudy small(yaml({}));
  const StudyTable table = small.table(results);
  const NumbersBySeed found =
      numbers_by_seed(parse_number("a.list - 1", "f"), {{"tau", "1"}}, table, "f");
  EXPECT_TRUE(found.single.empty());
  ASSERT_EQ(found.by_rank.size(), 3u);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const auto number = static_cast<double>(rank + 1);
    EXPECT_THAT(found.by_rank[rank],
                ElementsAre(Pair("1", number * 1.01 - 1), Pair("2", number * 1.02 - 1),
                            Pair("3", number * 1.03 - 1)));
  }
}

TEST_F(StudyEvaluationTest, SignificanceCountsTheTestsOfTheWholeStudy) {
  // Differences of a - 0.9 b, seed by seed: the same up to the seed's share.
  const auto results = evaluate({"significant(b.x > 5 * a.x) at tau=1", "b.x > a.x at tau=1",
                                 "significant(b.x > a.x) for all tau"});
  ASSERT_EQ(results[0].comparisons.size(), 1u);
  std::vector<double> b, a;
  for (const double seed : {1, 2, 3}) {
    b.push_back(10 + 1 + seed / 100);
    a.push_back(5 * (1 + seed / 100));
  }
  EXPECT_NEAR(*results[0].comparisons[0].corrected_p, 4 * paired_t_test(b, a).p_value, 1e-12);
  EXPECT_EQ(results[0].status, ExpectationStatus::held);
  EXPECT_FALSE(results[1].comparisons[0].corrected_p.has_value());
  EXPECT_EQ(results[2].status, ExpectationStatus::held);
  EXPECT_THAT(config_message([&] { evaluate({"significant(a.x > b.x at tau=1)"}); }),
              HasSubstr("expected ')'"));
}

/// Variants a and b, whose x differ by chance, and c, which is above them by one.
std::vector<ExpectationResult> evaluate_noisy(const std::vector<std::string>& claims) {
  std::string yaml =
      "{study: s, experiment: {}, grid: {seed: 1..4}, variants: {a: {}, b: {}, c: {}}, "
      "measures: {x: x}, expect: [";
  for (const std::string& claim : claims) yaml += "'" + claim + "', ";
  SmallStudy small(yaml + "]}");
  return evaluate_expectations(small.table([](const StudyPoint& point) {
    const double seed = on_axis(point, "seed"),
                 variant = testing::variant_of(point, {"a", "b", "c"});
    const double noise = variant == 1 ? (seed > 2 ? 0.1 : -0.101) : 0;
    return std::map<std::string, double>{
        {"x", seed + noise + (variant == 2 ? 1 + 0.01 * seed : 0)}};
  }));
}

TEST_F(StudyEvaluationTest, DifferencesMayHaveToBeInsignificant) {
  const auto of = [](const std::string& claim) { return evaluate_noisy({claim})[0].status; };
  EXPECT_EQ(of("not significant(a.x != b.x)"), ExpectationStatus::held);
  EXPECT_EQ(of("not significant(a.x != a.x)"), ExpectationStatus::held);
  EXPECT_EQ(of("not significant(a.x != c.x)"), ExpectationStatus::failed);
  EXPECT_EQ(of("not significant(c.x > a.x)"), ExpectationStatus::failed);
  EXPECT_EQ(of("not significant(c.x < a.x)"), ExpectationStatus::held);
  EXPECT_EQ(of("significant(a.x != c.x)"), ExpectationStatus::held);
  EXPECT_EQ(of("significant(a.x != b.x)"), ExpectationStatus::failed);
}

/// With a correction, more tests would make a difference less significant and the claim easier.
TEST_F(StudyEvaluationTest, OnlyTestsThatMustFindADifferenceAreCorrected) {
  const auto results = evaluate_noisy({"not significant(a.x != b.x)", "not significant(a.x != c.x)",
                                       "significant(c.x > a.x)", "significant(c.x > b.x)"});
  const auto p = [&](std::size_t i) { return *results[i].comparisons[0].corrected_p; };
  EXPECT_NEAR(p(2), 2 * p(1), 1e-15);
  EXPECT_NEAR(p(0), 1, 0.1);
}

TEST_F(StudyEvaluationTest, TrendsCompareEveryValueWithTheNext) {
  const ExpectationResult rising = evaluate({"rises(tau: a.x)"})[0];
  EXPECT_EQ(rising.status, ExpectationStatus::held);
  EXPECT_THAT(rising.comparisons[0].values,
              ElementsAre(DoubleEq(0.02), DoubleEq(0.52), DoubleEq(1.02)));
  EXPECT_THAT(rising.comparisons[0].part.orders, ElementsAre("<", "<"));
  EXPECT_EQ(status("falls(tau: a.x)"), ExpectationStatus::failed);
  EXPECT_EQ(status("falls(tau: -x) for all variant != fixed"), ExpectationStatus::held);
  EXPECT_EQ(status("rises(tau: abs(a.x - 0.6))"), ExpectationStatus::failed) << "it falls first";
  EXPECT_EQ(status("rises(tau >= 0.5: abs(a.x - 0.6))"), ExpectationStatus::held);
  EXPECT_EQ(status("rises(tau: fixed.x)"), ExpectationStatus::failed) << "equal numbers";
  EXPECT_EQ(status("rises(rank: a.list) at tau=1"), ExpectationStatus::held);
  EXPECT_EQ(status("rises(variant != fixed: x) for all tau"), ExpectationStatus::held);
  EXPECT_THAT(message("rises(tua: a.x)"), HasSubstr("unknown axis 'tua'"));
  EXPECT_THAT(evaluate({"rises(tau: a.x)"}, {"tau=0.5"})[0].note,
              HasSubstr("rises(tau: a.x) has 1 values along tau; expected two at least"));
}

TEST_F(StudyEvaluationTest, TrendsGoUpTheNumbersOfAnAxis) {
  SmallStudy small(
      "{study: s, experiment: {}, grid: {t: [1, 0.1, 10]}, measures: {x: x}, "
      "expect: ['rises(t: x)']}");
  const auto results = evaluate_expectations(small.table([](const StudyPoint& point) {
    return std::map<std::string, double>{{"x", on_axis(point, "t")}};
  }));
  EXPECT_THAT(results[0].comparisons.at(0).values, ElementsAre(0.1, 1, 10));
}

TEST_F(StudyEvaluationTest, ForMostNeedsMoreThanHalfOfTheCombinations) {
  EXPECT_EQ(status("a.x > 0.3 for most tau"), ExpectationStatus::held) << "at two of three";
  EXPECT_EQ(status("a.x > 0.7 for most tau"), ExpectationStatus::failed);
  EXPECT_EQ(status("x > 1 for most variant at tau=0"), ExpectationStatus::held);
  EXPECT_EQ(status("x > 11 for most variant at tau=0"), ExpectationStatus::failed)
      << "half of four";
  EXPECT_EQ(status("a.x > 0.3 and a.x < 1 for most tau"), ExpectationStatus::failed)
      << "a combination counts if all parts hold";
}

TEST_F(StudyEvaluationTest, OneSeedCannotBeTested) {
  EXPECT_EQ(evaluate({"significant(b.x > a.x) at tau=1"}, {"seed=1"})[0].status,
            ExpectationStatus::not_run);
}

TEST_F(StudyEvaluationTest, TestsPairTheValuesOfTheAxesThatTheyName) {
  const auto results =
      evaluate({"significant(tau: b.x > 5 * a.x)", "significant(tau > 0, seed: b.x > 5 * a.x)"});
  std::vector<double> b, a;
  for (const double tau : {0.0, 0.5, 1.0}) {
    b.push_back(10 + tau + 0.02);
    a.push_back(5 * (tau + 0.02));
  }
  const StudyComparison& over_tau = results[0].comparisons.at(0);
  EXPECT_NEAR(*over_tau.corrected_p, 2 * paired_t_test(b, a).p_value, 1e-9);
  EXPECT_NEAR(over_tau.values.at(0), 10.52, 1e-12);
  EXPECT_NEAR(over_tau.values.at(1), 2.6, 1e-12);
  b.clear();
  a.clear();
  for (const double tau : {0.5, 1.0})
    for (const double seed : {1, 2, 3}) {
      b.push_back(10 + tau + seed / 100);
      a.push_back(5 * (tau + seed / 100));
    }
  EXPECT_NEAR(*results[1].comparisons.at(0).corrected_p, 2 * paired_t_test(b, a).p_value, 1e-9);
  EXPECT_EQ(results[1].status, ExpectationStatus::held);
  EXPECT_THAT(message("significant(tua: a.x > b.x)"), HasSubstr("unknown axis 'tua'"));
  EXPECT_THAT(message("significant(tau=1: a.x > b.x)"),
              HasSubstr("has one pair to compare; expected two at least"));
}

/// Three variants and two collections with test queries of their own: query q = 1, 2, 3 of
/// collection c has the value v q + seed / 10 in variant number v.
class TestsOverQueriesTest : public ::testing::Test {
 protected:
  TestsOverQueriesTest()
      : small_(R"yaml(
study: small
experiment: {}
grid: {lists: {key: l, values: [one, two]}, seed: 1..2}
variants: {a: {}, b: {}, c: {}}
measures: {ndcg: test.ranking.ndcg@10, loss: test.loss}
expect:
  - "significant(query: b.ndcg > a.ndcg) at lists=one"
  - "significant(lists, query: b.ndcg - a.ndcg > 0)"
  - "significant(query: mean(lists: max(c.ndcg, b.ndcg)) > a.ndcg(lists=one))"
  - "significant(query: b.loss > a.loss) at lists=one"
)yaml") {}

  std::vector<ExpectationResult> evaluate(const std::string& queries_of_two = "4,5,6") {
    StudyTable table = small_.table([](const StudyPoint&) {
      return std::map<std::string, double>{{"test.ranking.ndcg@10", 0.5}, {"test.loss", 1}};
    });
    for (std::size_t p = 0; p < small_.runs.size(); ++p) {
      const StudyPoint& point = small_.study.points[p];
      const double v = testing::variant_of(point, {"a", "b", "c"}), seed = on_axis(point, "seed");
      const bool one = *value_on("lists", point.coordinates) == "one";
      const std::string names = one ? "1,2,3" : queries_of_two;
      std::string csv = "query,documents,relevant,ndcg@10\n";
      for (std::size_t q = 0; q < 3; ++q)
        csv += fmt::format("{},9,1,{}\n", names[2 * q],
                           v * static_cast<double>(names[2 * q] - '0') + seed / 10);
      csv += "9,9,0,\n";  // does not count
      small_.runs[p].folder = folder_.path() / fmt::format("{}", p);
      std::filesystem::create_directories(small_.runs[p].folder);
      folder_.write(fmt::format("{}/test_rankings.csv", p), csv);
    }
    return evaluate_expectations(table);
  }

  testing::TemporaryFolder folder_;
  SmallStudy small_;
};

TEST_F(TestsOverQueriesTest, PairQueriesWhoseValuesAreMeansOverSeeds) {
  check_study(small_.study);
  const auto results = evaluate();
  const auto p_of = [](const std::vector<double>& b, const std::vector<double>& a) {
    return paired_t_test(b, a).p_value;
  };
  const auto& one = results[0].comparisons.at(0);
  EXPECT_NEAR(*one.corrected_p, 2 * p_of({1.15, 2.15, 3.15}, {0.15, 0.15, 0.15}), 1e-9);
  EXPECT_NEAR(one.values.at(0), 2.15, 1e-12);
  EXPECT_NEAR(one.values.at(1), 0.15, 1e-12);
  const auto& both = results[1].comparisons.at(0);
  EXPECT_NEAR(*both.corrected_p, 2 * p_of({1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 0}), 1e-9);
  EXPECT_EQ(results[1].status, ExpectationStatus::held);
  EXPECT_EQ(results[2].status, ExpectationStatus::unknown);
  EXPECT_THAT(results[2].note, HasSubstr("c.ndcg cannot be paired by query at lists=two: runs"));
  EXPECT_THAT(results[2].note, HasSubstr("were tested on different data: query 1 and query 4"));
  EXPECT_EQ(results[3].status, ExpectationStatus::unknown);
  EXPECT_THAT(results[3].note, HasSubstr("has no values of test.loss for each query"));
}

TEST_F(TestsOverQueriesTest, FunctionsGoOverAxesQueryByQuery) {
  const auto results = evaluate("1,2,3");
  const auto& mean = results[2].comparisons.at(0);
  EXPECT_NEAR(mean.values.at(0), 4.15, 1e-12);
  EXPECT_NEAR(
      *mean.corrected_p,
      3 * paired_t_test(std::vector{2.15, 4.15, 6.15}, std::vector{0.15, 0.15, 0.15}).p_value,
      1e-9);
}

TEST(PerplexitiesTest, CannotBeTestedOverQueries) {
  const auto check = [](const std::string& claim) {
    check_study(SmallStudy(R"yaml(
study: small
experiment: {}
grid: {seed: 1..2}
variants: {a: {}, b: {}}
measures: {ppl: test.ppl, cond: test.cond_ppl, ll: test.ll}
expect:
  - ")yaml" + claim + "\"\n")
                    .study);
  };
  EXPECT_THAT(config_message([&] { check("significant(query: a.ppl < b.ppl)"); }),
              HasSubstr("small.yaml:8:5: a.ppl is test.ppl, which single queries do not have; "
                        "expected a measure with the path test.ll, their log-likelihood"));
  EXPECT_THAT(config_message([&] { check("significant(query: 0 > 1 + min(a.ll, b.cond))"); }),
              HasSubstr("b.cond is test.cond_ppl, which single queries do not have"));
  EXPECT_NO_THROW(check("significant(query: a.ll > b.ll)"));
  EXPECT_NO_THROW(check("significant(a.ppl < b.ppl)")) << "over seeds";
}

TEST_F(StudyEvaluationTest, QueriesHaveNoSeedsAndNoRanks) {
  EXPECT_THAT(message("significant(query, seed: a.x > b.x) at tau=1"),
              HasSubstr("found seed in significant(query, seed: a.x > b.x); expected query alone"));
  EXPECT_THAT(message("significant(query = 3: a.x > b.x) at tau=1"), HasSubstr("found query=3"));
  EXPECT_THAT(message("significant(query: max(rank: a.x) > b.x) at tau=1"),
              HasSubstr("max(rank: a.x) has no values for each query"));
  EXPECT_THAT(message("a.x > b.x for all query"), HasSubstr("unknown axis 'query'"));
}

TEST_F(StudyEvaluationTest, UnknownNamesAreFoundBeforeAnythingRuns) {
  EXPECT_THAT(message("a.y > 1 at tau=1"),
              HasSubstr("small.yaml:8:5: unknown measure 'y'; expected one of x, list"));
  EXPECT_THAT(message("a.lst > 1 at tau=1"), HasSubstr("did you mean 'list'?"));
  EXPECT_THAT(message("fixd.x > 1"), HasSubstr("unknown variant 'fixd'; did you mean 'fixed'?"));
  EXPECT_THAT(message("x > 1 at tau=1"),
              HasSubstr("'x' leaves variant open; expected one of a, b, c"));
  EXPECT_THAT(message("a.x > 1"), HasSubstr("'a.x' leaves tau open; expected one of 0, 0.5, 1"));
  EXPECT_THAT(message("a.x > 1 at tua=1"), HasSubstr("unknown axis 'tua'; did you mean 'tau'?"));
  EXPECT_THAT(message("a.x > 1 at tau=2"), HasSubstr("no tau is = '2'; expected one of 0, 0.5"));
  EXPECT_THAT(message("a.x(tau=2) > 1"), HasSubstr("'a.x(tau=2)' was not run"));
  EXPECT_THAT(message("fixed.x(tau=0) > 1"), HasSubstr("fixed does not vary tau"));
  EXPECT_THAT(message("a.x > 1 for all tau > 7"), HasSubstr("no tau is > '7'"));
  EXPECT_THAT(message("a.list[1.5] > 1 at tau=1"), HasSubstr("found rank '1.5' in a.list[1.5]"));
  EXPECT_THAT(message("max(rank > 1: a.list) > 1 at tau=1"), HasSubstr("expected rank alone"));
  EXPECT_THAT(message("max(tua: a.x) > 1"), HasSubstr("unknown axis 'tua'"));
}

TEST_F(StudyEvaluationTest, ClaimsAboutOmittedRunsAreNotRun) {
  const auto results = evaluate({"a.x > 1 at tau=1", "a.x < 1 at tau=0.5", "c.x > b.x at tau=0.5"},
                                {"tau=0.5", "variant=a,b"});
  EXPECT_EQ(results[0].status, ExpectationStatus::not_run);
  EXPECT_THAT(results[0].note, HasSubstr("no tau is = '1'"));
  EXPECT_EQ(results[1].status, ExpectationStatus::held);
  EXPECT_EQ(results[2].status, ExpectationStatus::not_run);
}

TEST_F(StudyEvaluationTest, ClaimsAboutMissingNumbersAreUnknown) {
  SmallStudy small(yaml({"a.missing > 1 at tau=0", "a.x > 0 at tau=0", "a.list > 0 at tau=0",
                         "a.x[1] > 0 at tau=0", "a.list[4] > 0 at tau=0", "b.x > 0 at tau=0",
                         "1 / (a.x - a.x) < 0 at tau=0", "max(rank: a.x) > 1 at tau=0"}));
  const auto results = evaluate_expectations(
      small.table([](const StudyPoint& point) -> std::map<std::string, double> {
        if (point.coordinates[0].second == "b") return {};  // it failed
        return StudyEvaluationTest::results(point);
      }));
  const auto expect_unknown = [&](std::size_t i, const std::string& note) {
    EXPECT_EQ(results[i].status, ExpectationStatus::unknown) << i;
    EXPECT_THAT(results[i].note, HasSubstr(note));
    EXPECT_THAT(results[i].note, HasSubstr("small.yaml:" + std::to_string(8 + i)));
  };
  expect_unknown(0, "a.missing is not in the results (test.missing at tau=0)");
  EXPECT_EQ(results[1].status, ExpectationStatus::held);
  expect_unknown(2, "a.list is a list in the results; expected");
  expect_unknown(3, "a.x[1] is no list in the results");
  expect_unknown(4, "a.list[4] has only 3 ranks in the results");
  expect_unknown(5, "b.x is not in the results");
  expect_unknown(6, "1 / (a.x - a.x) is infinite at tau=0");
  expect_unknown(7, "a.x has no ranks in the results at tau=0");
}

TEST_F(StudyEvaluationTest, ClaimsAboutNaNAreUnknown) {
  SmallStudy small(yaml({"a.x > 1 at tau=0", "max(tau: a.x) > 1"}));
  const auto results = evaluate_expectations(small.table([](const StudyPoint&) {
    return std::map<std::string, double>{{"test.x", std::numeric_limits<double>::quiet_NaN()}};
  }));
  for (const ExpectationResult& result : results) {
    EXPECT_EQ(result.status, ExpectationStatus::unknown);
    EXPECT_THAT(result.note, HasSubstr("is not a number"));
  }
}

}  // namespace
}  // namespace ultr::study_evaluation_test
