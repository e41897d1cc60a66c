#include "studies/study_expression.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"

namespace ultr::study_expression_test {
namespace {

using ::testing::AllOf;
using testing::config_message;
using ::testing::HasSubstr;

std::string shape(const std::vector<AxisCondition>& conditions) {
  std::string text;
  for (const auto& [axis, order, value] : conditions)
    text += (text.empty() ? "" : ", ") + axis + order + value;
  return text;
}

/// Returns an expression with parentheses around everything.
std::string shape(const StudyExpression& e) {
  if (e.name.empty()) return fmt::format("{}", e.number);
  std::string text = e.name + "(" + shape(e.conditions) + (e.conditions.empty() ? "" : ":");
  for (const StudyExpression& operand : e.operands)
    text += (text.ends_with('(') ? "" : " ") + shape(operand);
  return e.operands.empty() && e.conditions.empty() ? e.name : text + ")";
}

std::string shape(const StudyClaim& claim) {
  std::string text;
  for (const ClaimPart& part : claim.parts) {
    text += text.empty() ? "" : " and ";
    if (part.is_trend())
      text += part.orders.at(0) + "(" + shape(part.along) + ": " + shape(part.sides.at(0)) + ")";
    if (part.is_trend()) continue;
    text += part.negated ? "not " : "";
    for (std::size_t i = 0; i < part.sides.size(); ++i)
      text += (i == 0 ? "" : " " + part.orders[i - 1] + " ") + shape(part.sides[i]);
  }
  return claim.scope.empty() ? text : shape(claim.scope) + " | " + text;
}

std::string claim(const std::string& text) { return shape(parse_claim(text, "f.yaml:1:2")); }
std::string number(const std::string& text) { return shape(parse_number(text, "f.yaml:1:2")); }
std::string claim_message(const std::string& text) {
  return config_message([&] { parse_claim(text, "f.yaml:1:2"); });
}

TEST(StudyExpressionTest, ProductsBindTighterThanSums) {
  EXPECT_EQ(number("1 + 2 * a - -b / (c - 4)"), "-(+(1 *(2 a)) /(-(b) -(c 4)))");
  EXPECT_EQ(number("a - b - c"), "-(-(a b) c)");
  EXPECT_EQ(number("1e-3*a"), "*(0.001 a)");
}

TEST(StudyExpressionTest, MeasuresHaveVariantsAxesAndRanks) {
  EXPECT_EQ(number("ips.ndcg@10(sessions=1e6, data.format=a-b)"),
            "ndcg@10(variant=ips, sessions=1e6, data.format=a-b:)");
  EXPECT_EQ(number("bias(tau = -0.5)[3]"), "bias(tau=-0.5, rank=3:)");
}

TEST(StudyExpressionTest, ClaimsAreChainsWithinScopes) {
  EXPECT_EQ(claim("a >= b - 0.005 at sessions=1e6"), "sessions=1e6 | a >= -(b 0.005)");
  EXPECT_EQ(claim("a < b < c and d > 1"), "a < b < c and d > 1");
  EXPECT_EQ(claim("a = 1 for all tau > 0, tau<=0.5, seed at variant=x"),
            "variant=x, tau>0, tau<=0.5, seed | a = 1")
      << "the outer scope stands on the right";
}

TEST(StudyExpressionTest, FunctionsTakeNumbersOrGoOverAnAxis) {
  EXPECT_EQ(claim("max(rank: abs(a - b)) < min(a, 2)"), "max(rank: abs(-(a b))) < min(a 2)");
  EXPECT_EQ(number("mean(tau > 0, variant != x: a)"), "mean(tau>0, variant!=x: a)");
  EXPECT_EQ(number("kendall_tau(variant: p(ratio=1), p)"), "kendall_tau(variant: p(ratio=1:) p)");
}

TEST(StudyExpressionTest, SignificanceHasALevel) {
  EXPECT_EQ(parse_claim("significant(a > b)", "f").parts[0].level, 0.05);
  EXPECT_EQ(parse_claim("significant(a < b + 1, 0.01)", "f").parts[0].level, 0.01);
  EXPECT_FALSE(parse_claim("a > b", "f").parts[0].level);
}

TEST(StudyExpressionTest, DifferencesMayHaveToBeInsignificant) {
  const StudyClaim parsed = parse_claim("not significant(a != b, 0.01) and c < d", "f");
  EXPECT_EQ(shape(parsed), "not a != b and c < d");
  EXPECT_EQ(parsed.parts[0].level, 0.01);
  EXPECT_TRUE(parsed.parts[0].negated);
  EXPECT_FALSE(parsed.parts[1].negated);
  EXPECT_EQ(parsed.parts[0].text, "not significant(a != b, 0.01)");
}

TEST(StudyExpressionTest, TrendsGoAlongOneAxis) {
  EXPECT_EQ(claim("rises(tau: a - b) for all variant != x"), "variant!=x | <(tau: -(a b))");
  EXPECT_EQ(claim("falls(tau > 0, tau < 1: p.bias[3]) and a = 1"),
            ">(tau>0, tau<1: bias(variant=p, rank=3:)) and a = 1");
  EXPECT_EQ(claim("rises.x < falls.x"), "x(variant=rises:) < x(variant=falls:)");
  EXPECT_EQ(parse_claim(" rises(tau: a) at s=1", "f").parts[0].text, "rises(tau: a)");
}

TEST(StudyExpressionTest, ClaimsMayHoldForMostValues) {
  EXPECT_TRUE(parse_claim("a > b at s=1 for most lists, seed > 1", "f").most);
  EXPECT_FALSE(parse_claim("a > b at s=1 for all lists", "f").most);
  EXPECT_EQ(claim("a > b at s=1 for most lists"), "lists, s=1 | a > b");
}

TEST(StudyExpressionTest, SignificanceNamesTheAxesOfItsPairs) {
  const auto pairs = [](const std::string& text) {
    return shape(parse_claim(text, "f").parts[0].pairs);
  };
  EXPECT_EQ(pairs("significant(a > b)"), "");
  EXPECT_EQ(pairs("significant(mean(tau: a) > b)"), "");
  EXPECT_EQ(pairs("significant(query: a > b)"), "query");
  EXPECT_EQ(pairs("significant(lists, tau > 0: mean(seed: a) > b, 0.01) at s=1"), "lists, tau>0");
  EXPECT_EQ(claim("significant(lists, seed: a > b)"), "a > b");
  EXPECT_THAT(claim_message("significant(: a > b)"), HasSubstr("a name"));
}

TEST(StudyExpressionTest, KeepsTheTextAsWritten) {
  const StudyClaim e = parse_claim("  ips.x  >= pbm.x - 0.5 at s=1 ", "f");
  EXPECT_EQ(e.text, "ips.x  >= pbm.x - 0.5 at s=1");
  EXPECT_EQ(e.parts[0].text, "ips.x  >= pbm.x - 0.5");
  EXPECT_EQ(e.parts[0].sides[1].text, "pbm.x - 0.5");
}

TEST(StudyExpressionTest, ErrorsNamePlaceFindingAndExpectation) {
  EXPECT_EQ(claim_message("a >"),
            "f.yaml:1:2: found the end in 'a >'; expected a number, a measure or a function");
  EXPECT_THAT(claim_message("a + b"), AllOf(HasSubstr("found the end"), HasSubstr("comparison")));
  EXPECT_THAT(claim_message("a > b c"), AllOf(HasSubstr("found 'c'"), HasSubstr("'for all'")));
  EXPECT_THAT(claim_message("significant(a = b)"), HasSubstr("by <, > or != in significant()"));
  EXPECT_THAT(claim_message("abs(a, b) > 1"), HasSubstr("expected abs(x)"));
  EXPECT_THAT(claim_message("abs(rank: a) > 1"), HasSubstr("expected abs(x)"));
  EXPECT_THAT(claim_message("log(rank: a) > 1"), HasSubstr("log(x)"));
  EXPECT_THAT(claim_message("max(a) > 1"), HasSubstr("min, max or mean of (x, y, ...)"));
  EXPECT_THAT(claim_message("kendall_tau(a, b) > 1"), HasSubstr("kendall_tau(axis: x, y)"));
  EXPECT_THAT(claim_message("chosen(a, b) > 1"), HasSubstr("chosen(axis: x, y)"));
  EXPECT_THAT(claim_message("chosen(tau: a, b, c) > 1"), HasSubstr("chosen(axis: x, y, z, n)"));
  EXPECT_THAT(claim_message("significant(a >= b)"), HasSubstr("a comparison of two numbers by <"));
  EXPECT_THAT(claim_message("significant(a > b > c)"), HasSubstr("a comparison of two numbers"));
  EXPECT_THAT(claim_message("significant(a > b, 1)"), HasSubstr("a level above 0 and below 1"));
  EXPECT_THAT(claim_message("a > b at tau > 1"), HasSubstr("expected = and a value of the axis"));
  EXPECT_THAT(claim_message("a > b for tau"), HasSubstr("'all' or 'most' after 'for'"));
  EXPECT_THAT(claim_message("a > b for all s for most tau"), HasSubstr("either 'for all' or"));
  EXPECT_THAT(claim_message("a > b for most s for all tau"), HasSubstr("either 'for all' or"));
  EXPECT_THAT(claim_message("rises(tau, s: a)"), HasSubstr("conditions on one axis"));
  EXPECT_THAT(claim_message("rises(a, b)"), HasSubstr("found 'a, b)'"));
  EXPECT_THAT(claim_message("falls(tau: a) > 1"), HasSubstr("found '> 1'"));
  EXPECT_THAT(claim_message("not rises(tau: a)"), HasSubstr("'significant(' after 'not'"));
  EXPECT_THAT(claim_message("a and b > 1"), HasSubstr("found 'and b > 1'"));
  EXPECT_THAT(claim_message("not a > 1"), HasSubstr("found 'a > 1'"));
  EXPECT_THAT(claim_message("(a > 1)"), HasSubstr("found '> 1)'"));
  EXPECT_THAT(claim_message("x(tau=) > 2"), HasSubstr("a value of tau"));
  EXPECT_THAT(claim_message(""), HasSubstr("found the end"));
}

TEST(StudyExpressionTest, LongAndDeepTextsAreErrors) {
  std::string terms = "1";
  for (int i = 0; i < 50'000; ++i) terms += " + 1";
  const auto too_long = HasSubstr("found more than 500 numbers, measures and parentheses in '");
  EXPECT_THAT(claim_message(terms + " > 1"), too_long);
  EXPECT_THAT(claim_message(std::string(50'000, '(')), too_long);
  EXPECT_THAT(claim_message(std::string(50'000, '-') + "1 > 2"), too_long);
  EXPECT_EQ(claim(std::string(450, '(') + "1" + std::string(450, ')') + " < 2"), "1 < 2");
}

}  // namespace
}  // namespace ultr::study_expression_test
