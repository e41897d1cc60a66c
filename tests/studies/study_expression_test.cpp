#include "studies/study_expression.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"

namespace ultr::study_expression_test {
namespace {

using ::testing::AllOf;
using testing::config_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = StudyExpression::Kind;

/// An expression with parentheses around everything.
std::string shape(const StudyExpression& e) {
  std::string conditions;
  for (const AxisCondition& c : e.conditions)
    conditions += (conditions.empty() ? "" : ", ") + c.axis + c.order + c.value;
  std::string operands;
  for (const StudyExpression& operand : e.operands)
    operands += (operands.empty() ? "" : ", ") + shape(operand);
  switch (e.kind) {
    case Kind::number:
      return fmt::format("{}", e.number);
    case Kind::reference:
      return (e.variant.empty() ? "" : e.variant + ".") + e.name +
             (conditions.empty() ? "" : "(" + conditions + ")") +
             (operands.empty() ? "" : "[" + operands + "]");
    case Kind::negate:
      return "(-" + operands + ")";
    case Kind::arithmetic:
      return "(" + shape(e.operands[0]) + " " + e.name + " " + shape(e.operands[1]) + ")";
    case Kind::call:
      return e.name + "(" + (conditions.empty() ? "" : conditions + ": ") + operands + ")";
    case Kind::compare: {
      std::string text = shape(e.operands[0]);
      for (std::size_t i = 0; i < e.orders.size(); ++i)
        text += " " + e.orders[i] + " " + shape(e.operands[i + 1]);
      return "{" + text + "}";
    }
    case Kind::both:
      return "both(" + operands + ")";
    case Kind::contrary:
      return "not(" + operands + ")";
    case Kind::significant:
      return "significant(" + operands + ")";
    case Kind::at:
      return "(" + operands + " at " + conditions + ")";
    default:
      return "(" + operands + " for all " + conditions + ")";
  }
}

std::string claim(const std::string& text) { return shape(parse_claim(text, "f.yaml:1:2")); }
std::string number(const std::string& text) { return shape(parse_number(text, "f.yaml:1:2")); }
std::string claim_message(const std::string& text) {
  return config_message([&] { parse_claim(text, "f.yaml:1:2"); });
}

TEST(StudyExpressionTest, ArithmeticBindsAsUsual) {
  EXPECT_EQ(number("1 + 2 * a - -b / (c - 4)"), "((1 + (2 * a)) - ((-b) / (c - 4)))");
  EXPECT_EQ(number("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(number("1e-3*a"), "(0.001 * a)");
}

TEST(StudyExpressionTest, ReferencesHaveVariantsAxesAndRanks) {
  EXPECT_EQ(number("ips.ndcg@10(sessions=1e6, data.format=a-b)"),
            "ips.ndcg@10(sessions=1e6, data.format=a-b)");
  EXPECT_EQ(number("bias(tau = 'two words')[3]"), "bias(tau=two words)[3]");
  EXPECT_EQ(number("grid[argmin(rank: loss)]"), "grid[argmin(rank: loss)]");
}

TEST(StudyExpressionTest, ComparisonsAreChainsAndClaimsHaveScopes) {
  EXPECT_EQ(claim("a >= b - 0.005 at sessions=1e6"), "({a >= (b - 0.005)} at sessions=1e6)");
  EXPECT_EQ(claim("a < b < c and d > 1"), "both({a < b < c}, {d > 1})");
  EXPECT_EQ(claim("a == 1 for all tau > 0, tau<=0.5, seed at variant=x"),
            "(({a = 1} for all tau>0, tau<=0.5, seed) at variant=x)");
  EXPECT_EQ(claim("not (a < b and (c + 1) * 2 > d)"), "not(both({a < b}, {((c + 1) * 2) > d}))");
  EXPECT_EQ(claim("(a < b at t=1) and c > d"), "both(({a < b} at t=1), {c > d})");
}

TEST(StudyExpressionTest, FunctionsTakeNumbersOrGoOverAnAxis) {
  EXPECT_EQ(claim("max(rank: abs(a - b)) < min(a, 2)"), "{max(rank: abs((a - b))) < min(a, 2)}");
  EXPECT_EQ(number("mean(tau > 0, variant != x: a)"), "mean(tau>0, variant!=x: a)");
  EXPECT_EQ(claim("kendall_tau(variant: p(ratio=1), p(ratio=10)) > 0.9"),
            "{kendall_tau(variant: p(ratio=1), p(ratio=10)) > 0.9}");
}

TEST(StudyExpressionTest, SignificanceHasALevel) {
  const StudyExpression usual = parse_claim("significant(a > b)", "f");
  const StudyExpression strict = parse_claim("not significant(a < b + 1, 0.01)", "f");
  EXPECT_EQ(usual.number, 0.05);
  EXPECT_EQ(strict.operands.front().number, 0.01);
  EXPECT_EQ(shape(strict), "not(significant({a < (b + 1)}))");
}

TEST(StudyExpressionTest, RemembersHowThingsWereWritten) {
  const StudyExpression e = parse_claim("  ips.x  >= pbm.x - 0.5 at s=1 ", "f");
  EXPECT_EQ(e.text, "ips.x  >= pbm.x - 0.5 at s=1");
  EXPECT_EQ(e.operands.front().text, "ips.x  >= pbm.x - 0.5");
  EXPECT_EQ(e.operands.front().operands[1].text, "pbm.x - 0.5");
}

TEST(StudyExpressionTest, MistakesAreToldWithTheirPlace) {
  EXPECT_EQ(claim_message("a >"),
            "f.yaml:1:2: ends too early in 'a >'; expected a number, a measure or a function");
  EXPECT_EQ(claim_message("a + b"), "f.yaml:1:2: 'a + b' is a number; expected a comparison");
  EXPECT_THAT(claim_message("a > b c"), AllOf(HasSubstr("found 'c'"), HasSubstr("'for all'")));
  EXPECT_THAT(claim_message("mx(rank: a) > 1"),
              HasSubstr("'mx' is no function; did you mean 'max'"));
  EXPECT_THAT(claim_message("abs(a, b) > 1"), HasSubstr("abs: expected abs(x)"));
  EXPECT_THAT(claim_message("abs(rank: a) > 1"), HasSubstr("abs: expected abs(x)"));
  EXPECT_THAT(claim_message("kendall_tau(a, b) > 1"), HasSubstr("kendall_tau(axis: x, y)"));
  EXPECT_THAT(claim_message("significant(a >= b)"), HasSubstr("a comparison of two by < or >"));
  EXPECT_THAT(claim_message("significant(a > b, 1)"), HasSubstr("the level of significant is 1"));
  EXPECT_THAT(claim_message("a > b at tau > 1"), HasSubstr("expected '=' and a value"));
  EXPECT_THAT(claim_message("a > b for tau"), HasSubstr("'all' after 'for'"));
  EXPECT_THAT(claim_message("a and b > 1"), HasSubstr("'a' is a number; expected a comparison"));
  EXPECT_THAT(claim_message("x(tau='1) > 2"), HasSubstr("the end of a quoted value"));
  EXPECT_THAT(claim_message(std::string(1000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(claim_message(std::string(1000, '-') + "1 > 2"), HasSubstr("nested too deeply"));
  EXPECT_EQ(claim(std::string(90, '(') + "1" + std::string(90, ')') + " < 2"), "{1 < 2}")
      << "without going through inner ones again and again";
  EXPECT_THAT(claim_message(""), HasSubstr("ends too early"));
}

}  // namespace
}  // namespace ultr::study_expression_test
