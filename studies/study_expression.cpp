#include "studies/study_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"

namespace ultr {
namespace {

using Kind = StudyExpression::Kind;

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Goes through a text once, from left to right, a function a rule of the grammar.
class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, const std::string& where)
      : text_(text), where_(where) {}

  StudyExpression whole(bool claim) {
    StudyExpression parsed = claim ? parse_scoped_claim() : sum();
    skip_spaces();
    if (at_ < text_.size())
      fail(claim ? "an operator, 'and', 'at', 'for all' or the end" : "an operator or the end");
    if (claim && !parsed.is_claim())
      throw ConfigError(
          fmt::format("{}: {} is a number; expected a comparison", where_, quote(text_)));
    return parsed;
  }

 private:
  // Claims --------------------------------------------------------------------------------------

  StudyExpression parse_scoped_claim() {
    const std::size_t begin = start();
    StudyExpression claim = conjunction();
    for (;;) {
      if (take_word("at")) {
        claim = wrap(Kind::at, std::move(claim), begin);
        do claim.conditions.push_back(binding());
        while (take(","));
      } else if (take_word("for")) {
        if (!take_word("all")) fail("'all' after 'for'");
        claim = wrap(Kind::for_all, std::move(claim), begin);
        claim.conditions = axis_conditions();
      } else {
        return claim;
      }
      claim.text = since(begin);
    }
  }

  StudyExpression conjunction() {
    const std::size_t begin = start();
    StudyExpression first = single_claim();
    if (!peek_word("and")) return first;
    StudyExpression both = wrap(Kind::both, expect_claim(std::move(first)), begin);
    while (take_word("and")) both.operands.push_back(expect_claim(single_claim()));
    both.text = since(begin);
    return both;
  }

  StudyExpression single_claim() {
    const DepthGuard guard(*this);
    const std::size_t begin = start();
    if (take_word("not")) {
      StudyExpression contrary = wrap(Kind::contrary, expect_claim(single_claim()), begin);
      contrary.text = since(begin);
      return contrary;
    }
    if (peek_word("significant")) return significance();
    if (peek("(") && !is_number_in_parentheses()) {
      ++at_;
      StudyExpression inner = expect_claim(parse_scoped_claim());
      expect(")");
      return inner;
    }
    return comparison();
  }

  /// Whether what is in the parentheses here is a number, by what comes behind them: an operator.
  bool is_number_in_parentheses() const {
    std::size_t at = at_, depth = 0;
    char quoted = 0;
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quoted != 0) {
        if (c == quoted) quoted = 0;
      } else if (c == '\'' || c == '"') {
        quoted = c;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && --depth == 0) {
        break;
      }
    }
    at = text_.find_first_not_of(" \t\n", at + 1);
    return at != std::string::npos &&
           std::string_view("+-*/<>=!").find(text_[at]) != std::string_view::npos;
  }

  StudyExpression significance() {
    const std::size_t begin = start();
    take_word("significant");
    expect("(");
    StudyExpression claim = comparison();
    if (claim.kind != Kind::compare || claim.orders.size() != 1 ||
        (claim.orders[0] != "<" && claim.orders[0] != ">"))
      throw ConfigError(fmt::format("{}: significant({}): expected a comparison of two by < or >",
                                    where_, claim.text));
    StudyExpression significant = wrap(Kind::significant, std::move(claim), begin);
    significant.number = take(",") ? number() : 0.05;
    if (significant.number <= 0 || significant.number >= 1)
      throw ConfigError(
          fmt::format("{}: the level of significant is {}; expected one above 0 and "
                      "below 1",
                      where_, significant.number));
    expect(")");
    significant.text = since(begin);
    return significant;
  }

  /// A number, if no order follows.
  StudyExpression comparison() {
    const std::size_t begin = start();
    StudyExpression first = sum();
    std::string order = take_order();
    if (order.empty()) return first;
    StudyExpression compare = wrap(Kind::compare, std::move(first), begin);
    for (; !order.empty(); order = take_order()) {
      compare.orders.push_back(order);
      compare.operands.push_back(sum());
    }
    compare.text = since(begin);
    return compare;
  }

  StudyExpression expect_claim(StudyExpression parsed) const {
    if (!parsed.is_claim())
      throw ConfigError(
          fmt::format("{}: {} is a number; expected a comparison", where_, quote(parsed.text)));
    return parsed;
  }

  // Numbers -------------------------------------------------------------------------------------

  StudyExpression sum() {
    return operations({"+", "-"}, [&] { return product(); });
  }
  StudyExpression product() {
    return operations({"*", "/"}, [&] { return factor(); });
  }
  template <class Operand>
  StudyExpression operations(const std::array<const char*, 2>& names, Operand operand) {
    const std::size_t begin = start();
    StudyExpression left = operand();
    for (;;) {
      const char* const name = take(names[0]) ? names[0] : take(names[1]) ? names[1] : nullptr;
      if (name == nullptr) return left;
      StudyExpression both = wrap(Kind::arithmetic, std::move(left), begin);
      both.name = name;
      both.operands.push_back(operand());
      both.text = since(begin);
      left = std::move(both);
    }
  }

  StudyExpression factor() {
    const DepthGuard guard(*this);
    const std::size_t begin = start();
    if (take("-")) {
      StudyExpression negated = wrap(Kind::negate, factor(), begin);
      negated.text = since(begin);
      return negated;
    }
    if (take("(")) {
      StudyExpression inner = sum();
      expect(")");
      inner.text = since(begin);
      return inner;
    }
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
      StudyExpression constant{.kind = Kind::number, .number = number()};
      constant.text = since(begin);
      return constant;
    }
    return call_or_reference();
  }

  StudyExpression call_or_reference() {
    const std::size_t begin = start();
    StudyExpression parsed{.kind = Kind::reference,
                           .name = name("a number, a measure or a function")};
    if (is_function(parsed.name) && peek("(")) {
      arguments(parsed);
    } else {
      if (at_ < text_.size() && text_[at_] == '.') {
        ++at_;
        parsed.variant = std::exchange(parsed.name, name("a measure after the variant"));
      }
      if (peek("(") && !is_binding_ahead()) unknown_function(parsed.name);
      if (take("(")) {
        do parsed.conditions.push_back(binding());
        while (take(","));
        expect(")");
      }
      if (take("[")) {
        parsed.operands.push_back(sum());
        expect("]");
      }
    }
    parsed.text = since(begin);
    return parsed;
  }

  static bool is_function(const std::string& name) {
    const auto& known = study_functions();
    return std::any_of(known.begin(), known.end(),
                       [&](const StudyFunction& f) { return f.name == name; });
  }

  [[noreturn]] void unknown_function(const std::string& name) const {
    std::vector<std::string> names = {"significant"};
    for (const StudyFunction& function : study_functions()) names.emplace_back(function.name);
    const std::string near = nearest_name(name, names);
    throw ConfigError(fmt::format(
        "{}: {} is no function; {}", where_, quote(name),
        near.empty()
            ? fmt::format("expected one of {}, or axis=value of a measure", fmt::join(names, ", "))
            : fmt::format("did you mean '{}'?", near)));
  }

  void arguments(StudyExpression& call) {
    call.kind = Kind::call;
    const StudyFunction& function =
        *std::find_if(study_functions().begin(), study_functions().end(),
                      [&](const StudyFunction& f) { return f.name == call.name; });
    expect("(");
    if (is_axis_ahead()) {
      call.conditions = axis_conditions();
      expect(":");
    }
    do call.operands.push_back(sum());
    while (take(","));
    expect(")");
    const bool over = !call.conditions.empty();
    const std::size_t given = call.operands.size();
    const bool fits =
        over ? given == function.over_axis : given >= function.fewest && given <= function.most;
    if (!fits)
      throw ConfigError(fmt::format("{}: {}: expected {}", where_, call.name, function.help));
  }

  // Axes and their values -----------------------------------------------------------------------

  /// Whether "axis=value" comes behind the parenthesis here.
  bool is_binding_ahead() {
    const std::size_t begin = at_++;
    skip_spaces();
    const bool named = !axis_characters().empty();
    const bool binds = named && peek("=") && text_.substr(at_, 2) != "==";
    at_ = begin;
    return binds;
  }

  /// Whether an axis, perhaps with conditions, comes here and then a colon.
  bool is_axis_ahead() {
    const std::size_t begin = at_;
    const std::size_t colon = text_.find(':', at_);
    bool ahead = colon != std::string::npos &&
                 text_.find_first_of("()[]+*/", at_) > colon;  // none of which conditions have
    at_ = begin;
    skip_spaces();
    ahead = ahead && at_ < text_.size() && starts_name(text_[at_]);
    at_ = begin;
    return ahead;
  }

  std::vector<AxisCondition> axis_conditions() {
    std::vector<AxisCondition> conditions;
    do {
      AxisCondition& condition = conditions.emplace_back(AxisCondition{.axis = axis()});
      condition.order = take_order();
      if (!condition.order.empty()) condition.value = value();
    } while (take(","));
    return conditions;
  }

  AxisCondition binding() {
    AxisCondition condition{.axis = axis()};
    condition.order = take_order();
    if (condition.order != "=") fail("'=' and a value behind the axis " + condition.axis);
    condition.value = value();
    return condition;
  }

  std::string_view axis_characters() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_]) ||
                                  text_[at_] == '.' || text_[at_] == '@'))
      ++at_;
    return std::string_view(text_).substr(begin, at_ - begin);
  }

  std::string axis() {
    skip_spaces();
    if (at_ == text_.size() || !starts_name(text_[at_])) fail("the name of an axis");
    return std::string(axis_characters());
  }

  std::string value() {
    skip_spaces();
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      const std::size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string::npos) fail("the end of a quoted value");
      std::string quoted = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      return quoted;
    }
    const std::size_t end = std::min(text_.find_first_of(" ,:()[]=<>!\t\n", at_), text_.size());
    if (end == at_) fail("a value of the axis");
    std::string found = text_.substr(at_, end - at_);
    at_ = end;
    return found;
  }

  // Characters ----------------------------------------------------------------------------------

  /// Parentheses within parentheses are parsed by recursion.
  struct DepthGuard {
    explicit DepthGuard(ExpressionParser& of) : parser(of) {
      constexpr int deepest = 100;
      if (++parser.depth_ > deepest)
        throw ConfigError(fmt::format("{}: nested too deeply; expected at most {} levels",
                                      parser.where_, deepest));
    }
    ~DepthGuard() { --parser.depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;
    ExpressionParser& parser;
  };

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  std::size_t start() {
    skip_spaces();
    return at_;
  }
  bool peek(std::string_view sign) {
    skip_spaces();
    return std::string_view(text_).substr(at_).starts_with(sign);
  }
  bool take(std::string_view sign) {
    if (!peek(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) fail(quote(sign));
  }
  bool peek_word(std::string_view word) {
    if (!peek(word)) return false;
    const std::size_t end = at_ + word.size();
    return end == text_.size() || !(starts_name(text_[end]) || is_digit(text_[end]) ||
                                    text_[end] == '@' || text_[end] == '.');
  }
  bool take_word(std::string_view word) {
    if (!peek_word(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string take_order() {
    if (take("==")) return "=";
    for (const char* order : {"<=", ">=", "!=", "<", ">", "="})
      if (take(order)) return order;
    return "";
  }
  double number() {
    skip_spaces();
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  std::string name(std::string_view expected) {
    skip_spaces();
    const std::size_t begin = at_;
    if (at_ == text_.size() || !starts_name(text_[at_])) fail(expected);
    while (at_ < text_.size() &&
           (starts_name(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '@'))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string since(std::size_t begin) const {
    std::size_t end = at_;
    while (end > begin && text_[end - 1] == ' ') --end;
    return text_.substr(begin, end - begin);
  }
  StudyExpression wrap(Kind kind, StudyExpression operand, std::size_t begin) const {
    StudyExpression node{.kind = kind};
    node.operands.push_back(std::move(operand));
    node.text = since(begin);
    return node;
  }
  [[noreturn]] void fail(std::string_view expected) const {
    const std::string rest = text_.substr(at_);
    throw ConfigError(fmt::format("{}: {} in {}; expected {}", where_,
                                  rest.empty() ? "ends too early" : "found " + quote(rest, 20),
                                  quote(text_), expected));
  }

  const std::string& text_;
  const std::string& where_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

const std::vector<StudyFunction>& study_functions() {
  constexpr std::size_t any = 1000;
  static const std::vector<StudyFunction> functions = {
      {"abs", "abs(x)"},
      {"exp", "exp(x)"},
      {"log", "log(x), the natural logarithm"},
      {"log10", "log10(x)"},
      {"sqrt", "sqrt(x)"},
      {"min", "min(x, y, ...) or min(axis: x)", 2, any, 1},
      {"max", "max(x, y, ...) or max(axis: x)", 2, any, 1},
      {"mean", "mean(x, y, ...) or mean(axis: x)", 2, any, 1},
      {"argmin", "argmin(axis: x), the axis' value, or the rank, of the least", any + 1, any, 1},
      {"argmax", "argmax(axis: x), the axis' value, or the rank, of the largest", any + 1, any, 1},
      {"kendall_tau", "kendall_tau(axis: x, y), Kendall's τ of the orders by x and by y", any + 1,
       any, 2}};
  return functions;
}

StudyExpression parse_claim(const std::string& text, const std::string& where) {
  return ExpressionParser(text, where).whole(true);
}

StudyExpression parse_number(const std::string& text, const std::string& where) {
  return ExpressionParser(text, where).whole(false);
}

}  // namespace ultr
