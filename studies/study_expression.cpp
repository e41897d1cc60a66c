#include "studies/study_expression.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/text/quote.h"
#include "studies/study_grid.h"

namespace ultr {
namespace {

constexpr std::array<std::string_view, 7> study_functions = {"abs",  "log",         "min",   "max",
                                                             "mean", "kendall_tau", "chosen"};

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return starts_name(c) || (c >= '0' && c <= '9') || c == '@' || c == '.'; }
bool in_value(char c) { return std::string_view(" ,:()[]<>=!\t\n").find(c) == std::string::npos; }

/// Parses a text from left to right, with one function per rule of the grammar.
class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, const std::string& where)
      : text_(text), where_(where) {}

  StudyClaim claim() {
    StudyClaim claim{.parts = {part()}, .scope = {}, .text = {}};
    while (take("and")) claim.parts.push_back(part());
    // Conditions on the right enclose those on the left.
    bool all = false;
    for (bool fixed = take("at"); fixed || take("for"); fixed = take("at")) {
      const std::size_t begin = start();
      if (!fixed) {
        const bool most = take("most");
        if (!most && !take("all")) fail("'all' or 'most' after 'for'");
        (most ? claim.most : all) = true;
        if (all && claim.most) fail("either 'for all' or 'for most'", begin);
      }
      const std::vector<AxisCondition> outer = conditions(fixed);
      claim.scope.insert(claim.scope.begin(), outer.begin(), outer.end());
    }
    if (start() < text_.size()) fail("an operator, 'and', 'at', 'for all' or the end");
    claim.text = since(text_.find_first_not_of(" \t\n"));
    return claim;
  }

  StudyExpression number() {
    StudyExpression number = operation("+-");
    if (start() < text_.size()) fail("an operator or the end");
    return number;
  }

 private:
  ClaimPart part() {
    const std::size_t begin = start();
    for (const bool rises : {true, false})
      if (take(rises ? "rises" : "falls")) return trend(rises ? "<" : ">", begin);
    ClaimPart part{.negated = take("not")};
    const bool significant = take("significant");
    if (part.negated && !significant) fail("'significant(' after 'not'");
    if (significant) expect("(");
    if (significant && axes_follow()) part.pairs = leading_axes();
    part.sides.push_back(operation("+-"));
    for (std::string order = take_order(); !order.empty(); order = take_order()) {
      part.orders.push_back(order);
      part.sides.push_back(operation("+-"));
    }
    if (part.orders.empty()) fail("an operator or a comparison by <, <=, >, >=, = or !=");
    if (significant) {
      const std::string& order = part.orders[0];
      if (part.orders.size() > 1 || (order != "<" && order != ">" && order != "!="))
        fail("a comparison of two numbers by <, > or != in significant()", begin);
      const std::size_t at_level = start();
      part.level = take(",") ? constant() : 0.05;
      if (!(*part.level > 0 && *part.level < 1)) fail("a level above 0 and below 1", at_level);
      expect(")");
    }
    part.text = since(begin);
    return part;
  }

  /// Parses the rest of rises(axis: x) or falls(axis: x), in which only one axis may stand.
  ClaimPart trend(const std::string& order, std::size_t begin) {
    ClaimPart part{.orders = {order}};
    expect("(");
    const std::size_t axes = start();
    part.along = conditions(false);
    for (const AxisCondition& condition : part.along)
      if (condition.axis != part.along.front().axis) fail("conditions on one axis", axes);
    expect(":");
    part.sides.push_back(operation("+-"));
    expect(")");
    part.text = since(begin);
    return part;
  }

  /// Parses operations of equal precedence, which associate to the left.
  StudyExpression operation(std::string_view signs) {
    const auto operand = [&] { return signs == "+-" ? operation("*/") : factor(); };
    const std::size_t begin = start();
    StudyExpression left = operand();
    while (start() < text_.size() && signs.find(text_[at_]) != std::string_view::npos) {
      const std::string sign(1, text_[at_++]);
      left = {.name = sign, .operands = {std::move(left), operand()}};
      left.text = since(begin);
    }
    return left;
  }

  StudyExpression factor() {
    constexpr int most = 500;  // bounds the depth of the recursion too
    if (++factors_ > most)
      throw ConfigError(fmt::format(
          "{}: found more than {} numbers, measures and parentheses in {}; expected a shorter text",
          where_, most, quote(text_, 40)));
    const std::size_t begin = start();
    StudyExpression parsed;
    if (take("-")) {
      parsed = {.name = "-", .operands = {factor()}};
    } else if (take("(")) {
      parsed = operation("+-");
      expect(")");
    } else if (at_ < text_.size() && starts_name(text_[at_])) {
      parsed = function_or_reference();
    } else {
      parsed.number = constant();
    }
    parsed.text = since(begin);
    return parsed;
  }

  StudyExpression function_or_reference() {
    StudyExpression parsed{.name = name()};
    if (std::ranges::count(study_functions, parsed.name) > 0 && take("(")) return call(parsed.name);
    if (const std::size_t dot = parsed.name.find('.'); dot != std::string::npos) {
      parsed.conditions.push_back({variant_axis, "=", parsed.name.substr(0, dot)});
      parsed.name.erase(0, dot + 1);
    }
    if (take("(")) {
      std::ranges::move(conditions(true), std::back_inserter(parsed.conditions));
      expect(")");
    }
    if (take("[")) {
      parsed.conditions.push_back({rank_axis, "=", take_all(in_value)});
      expect("]");
    }
    return parsed;
  }

  StudyExpression call(const std::string& function) {
    StudyExpression call{.name = function};
    const std::size_t begin = start();
    const bool over_axis = axes_follow();
    if (over_axis) call.conditions = leading_axes();
    do call.operands.push_back(operation("+-"));
    while (take(","));
    const std::size_t given = call.operands.size();
    if (function == "abs" || function == "log" ? over_axis || given != 1
        : function == "kendall_tau"            ? !over_axis || given != 2
        : function == "chosen" ? !over_axis || (given != 2 && given != 4 && given != 5)
                               : over_axis == (given > 1))
      fail(
          "abs(x), log(x), kendall_tau(axis: x, y), chosen(axis: x, y), chosen(axis: x, y, z, n), "
          "chosen(axis: x, y, z, n, m), or min, max or mean of (x, y, ...) or (axis: x)",
          begin);
    expect(")");
    return call;
  }

  /// Returns true if axes and a colon follow, not an operand.
  bool axes_follow() {
    const std::size_t next = text_.find_first_of(":()", start());
    return next != std::string::npos && text_[next] == ':';
  }
  std::vector<AxisCondition> leading_axes() {
    std::vector<AxisCondition> axes = conditions(false);
    expect(":");
    return axes;
  }

  /// Parses conditions between commas, all of the form axis=value if they are fixed.
  std::vector<AxisCondition> conditions(bool fixed) {
    std::vector<AxisCondition> conditions;
    do {
      AxisCondition condition{.axis = name(), .order = take_order(), .value = {}};
      if (fixed && condition.order != "=") fail("= and a value of the axis " + condition.axis);
      if (!condition.order.empty()) condition.value = take_all(in_value);
      if (!condition.order.empty() && condition.value.empty()) fail("a value of " + condition.axis);
      conditions.push_back(std::move(condition));
    } while (take(","));
    return conditions;
  }

  std::string name() {
    if (start() == text_.size() || !starts_name(text_[at_])) fail("a name");
    return take_all(in_name);
  }

  double constant() {
    double value = 0;
    const char* const begin = text_.data() + start();
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number, a measure or a function");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string take_order() {
    for (const char* order : {"<=", ">=", "!=", "<", ">", "="})
      if (take(order)) return order;
    return "";
  }

  /// Takes a sign or a whole word.
  bool take(std::string_view sign) {
    const std::size_t end = start() + sign.size();
    if (!std::string_view(text_).substr(at_).starts_with(sign)) return false;
    if (starts_name(sign[0]) && end < text_.size() && in_name(text_[end])) return false;
    at_ = end;
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) fail(quote(sign));
  }
  std::string take_all(bool (*belongs)(char)) {
    const std::size_t begin = start();
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /// Skips spaces and returns the position.
  std::size_t start() {
    return at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size());
  }
  std::string since(std::size_t begin) const {
    const std::size_t last = text_.find_last_not_of(" \t\n", at_ - 1);
    return text_.substr(begin, last + 1 - begin);
  }

  [[noreturn]] void fail(std::string_view expected, std::optional<std::size_t> position = {}) {
    const std::string rest = text_.substr(position ? *position : start());
    throw ConfigError(fmt::format("{}: found {} in {}; expected {}", where_,
                                  rest.empty() ? "the end" : quote(rest, 20), quote(text_),
                                  expected));
  }

  const std::string& text_;
  const std::string& where_;
  std::size_t at_ = 0;
  int factors_ = 0;
};

}  // namespace

StudyClaim parse_claim(const std::string& text, const std::string& where) {
  return ExpressionParser(text, where).claim();
}

StudyExpression parse_number(const std::string& text, const std::string& where) {
  return ExpressionParser(text, where).number();
}

}  // namespace ultr
