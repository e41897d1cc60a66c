#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "options/config_tree.h"

/// What a study claims of its measures, and what its figures draw, as text:
///
///     ips.ndcg@10 >= pbm.ndcg@10 - 0.005 at sessions=1e6
///     bias_error(tau=0) > 3 * bias_error(tau=0.5)
///     significant(listwise.dcg@10 > pointwise.dcg@10)
///     max(rank: abs(bias - true_bias)) < 0.05 for all tau > 0, variant != naive
///
// clang-format off
/// The grammar, in which [x] is optional and {x} any number of x:
///
///     claim     = all {"and" all} {scope}
///     all       = "not" all | "(" claim ")" | test | sum {order sum}
///     test      = "significant" "(" sum ("<" | ">") sum ["," number] ")"
///     scope     = "at" condition {"," condition}
///               | "for" "all" axis [order value] {"," axis [order value]}
///     sum       = product {("+" | "-") product}
///     product   = factor {("*" | "/") factor}
///     factor    = ["-"] (number | "(" sum ")" | call | reference)
///     call      = name "(" sum {"," sum} ")"
///               | name "(" axis [order value] {"," axis [order value]} ":" sum ["," sum] ")"
///     reference = [variant "."] measure ["(" condition {"," condition} ")"] ["[" sum "]"]
///     condition = axis "=" value
///     order     = "<" | "<=" | ">" | ">=" | "=" | "!="
// clang-format on
namespace ultr {

/// axis order value: "tau > 0"; or the axis alone, without an order.
struct AxisCondition {
  std::string axis;
  std::string order{};  // as in the grammar; empty: none
  std::string value{};
};

/// A node of what such a text says. Kinds tell what the other members mean.
struct StudyExpression {
  enum class Kind {
    number,       // number
    reference,    // variant (may be empty), name, conditions; operands: the index, if there is one
    negate,       // operands[0]
    arithmetic,   // operands[0] name operands[1], name one of + - * /
    call,         // name(operands), or over an axis (conditions not empty)
    compare,      // operands[0] orders[0] operands[1] orders[1] ...
    both,         // operands[0] and operands[1] and ...
    contrary,     // not operands[0]
    significant,  // operands[0], a comparison of two; number: the level
    at,           // operands[0] where the axes of `conditions` have values
    for_all       // operands[0] for all values of the axes of `conditions`
  };
  Kind kind = Kind::number;
  double number = 0;
  std::string name{}, variant{};
  std::vector<AxisCondition> conditions{};
  std::vector<std::string> orders{};
  std::vector<StudyExpression> operands{};
  std::string text{};  // as it was written

  /// Whether it is a claim, which holds or not, rather than a number.
  bool is_claim() const { return kind >= Kind::compare; }
};

/// The functions that take numbers, or numbers over an axis.
struct StudyFunction {
  std::string_view name, help;
  std::size_t fewest = 1, most = 1;  // arguments; over an axis there are over_axis
  std::size_t over_axis = 0;         // 0: not over an axis
};
const std::vector<StudyFunction>& study_functions();

/// Parses a claim, or a number to draw; `where` stands in front of messages. Throws ConfigError for
/// what is not in the grammar, with the place in the text, or has a function that there is none of
/// (with the nearest name) or that takes other arguments.
StudyExpression parse_claim(const std::string& text, const std::string& where);
StudyExpression parse_number(const std::string& text, const std::string& where);

}  // namespace ultr
