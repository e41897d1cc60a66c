#include "studies/study_nodes.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/quote.h"
#include "studies/comparison/axis_value.h"

namespace ultr {
namespace {

std::string text_at(const ConfigNode& node, std::string_view key) {
  if (node.kind != ConfigNode::Kind::scalar)
    throw ConfigError(fmt::format("{}: {} is no text; expected a text", node.where, key));
  return node.scalar;
}

}  // namespace

const std::vector<ConfigNode::Entry>& study_map(const ConfigNode& node, std::string_view what) {
  if (node.kind != ConfigNode::Kind::map)
    throw ConfigError(fmt::format("{}: {} is no section; expected names with values", node.where,
                                  one_line(what)));
  return node.entries;
}

std::string unknown_name(const std::string& where, std::string_view kind, const std::string& name,
                         const std::vector<std::string>& known, const std::string& place) {
  const std::string near = nearest_name(name, known);
  std::string expected = fmt::format("expected one of {}", fmt::join(known, ", "));
  if (known.empty()) expected = "there is none";
  if (!near.empty()) expected = fmt::format("did you mean '{}'?", near);
  return fmt::format("{}: unknown {} {}{}; {}", where, kind, quote(name), place, expected);
}

void expect_known(const std::string& where, std::string_view kind, const std::string& name,
                  const std::vector<std::string>& known) {
  if (std::ranges::count(known, name) == 0)
    throw ConfigError(unknown_name(where, kind, name, known));
}

void expect_study_keys(const ConfigNode& node, const std::vector<std::string>& known,
                       std::string_view what) {
  for (const auto& [key, value] : study_map(node, what))
    if (std::ranges::count(known, key) == 0)
      throw ConfigError(
          unknown_name(value.key_where, "key", key, known, fmt::format(" of {}", what)));
}

std::string study_text(const ConfigNode& node, std::string_view key,
                       const std::optional<std::string>& otherwise) {
  if (const ConfigNode* const found = node.find(key)) return text_at(*found, key);
  if (otherwise) return *otherwise;
  throw ConfigError(fmt::format("{}: {} is missing; expected a text", node.where, key));
}

std::vector<std::string> study_texts(const ConfigNode& node, std::string_view key) {
  std::vector<std::string> texts;
  const ConfigNode* const found = node.find(key);
  if (found == nullptr) return texts;
  if (found->kind != ConfigNode::Kind::list) return {text_at(*found, key)};
  for (const ConfigNode& item : found->items) texts.push_back(text_at(item, key));
  return texts;
}

bool study_flag(const ConfigNode& node, std::string_view key) {
  const ConfigNode* const found = node.find(key);
  if (found == nullptr) return false;
  if (found->scalar != "true" && found->scalar != "false")
    throw ConfigError(fmt::format("{}: {} is {}; expected true or false", found->where, key,
                                  quote(found->scalar)));
  return found->scalar == "true";
}

double study_number(const ConfigNode& node, std::string_view key, double otherwise, double low,
                    double high) {
  const ConfigNode* const found = node.find(key);
  if (found == nullptr) return otherwise;
  const double number = axis_number(found->scalar);
  if (!(number >= low && number <= high))
    throw ConfigError(fmt::format("{}: {} is {}; expected a number between {} and {}", found->where,
                                  key, quote(found->scalar), low, high));
  return number;
}

}  // namespace ultr
