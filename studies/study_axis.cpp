#include "studies/study_axis.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/quote.h"
#include "studies/comparison/axis_value.h"
#include "studies/study_nodes.h"
#include "studies/sweep_grid.h"

namespace ultr {
namespace {

bool is_dotted_name(std::string_view text) {
  const std::size_t dot = text.find('.');
  return is_study_name(text.substr(0, dot)) &&
         (dot == text.npos || is_dotted_name(text.substr(dot + 1)));
}

/// Reads values that all set the same options.
std::vector<StudyAxisValue> values_of_keys(const ConfigNode& node, const std::string& axis,
                                           const std::vector<std::string>& keys) {
  std::vector<ConfigNode> nodes;
  if (node.kind == ConfigNode::Kind::list) {
    nodes = node.items;
  } else if (node.kind == ConfigNode::Kind::scalar && !node.quoted) {
    for (const std::string& text : sweep_values(node.scalar, node.where))
      nodes.push_back(scalar_node(text, node.where));
  } else {
    nodes.push_back(node);
  }
  std::vector<StudyAxisValue> values;
  for (const ConfigNode& value : nodes) {
    StudyAxisValue& added = values.emplace_back();
    added.name = value.kind == ConfigNode::Kind::scalar ? value.scalar : one_line_yaml(value);
    for (const std::string& key : keys) added.settings.push_back({key, value});
  }
  if (values.empty())
    throw ConfigError(fmt::format("{}: axis {} has no values; expected some", node.where, axis));
  return values;
}

void expect_different_values(const StudyAxis& axis) {
  std::set<std::string> seen;
  for (const StudyAxisValue& value : axis.values)
    if (!seen.insert(canonical_value(value.name)).second)
      throw ConfigError(fmt::format("{}: axis {} has the value {} twice; expected each once",
                                    axis.where, axis.name, quote(value.name)));
}

std::vector<std::string> names_in(const ConfigNode& node, std::string_view what) {
  std::vector<std::string> names;
  const auto add = [&](const ConfigNode& item) {
    if (item.kind != ConfigNode::Kind::scalar || !is_dotted_name(item.scalar))
      throw ConfigError(
          fmt::format("{}: {} is no option; expected a dotted key", item.where, what));
    names.push_back(item.scalar);
  };
  if (node.kind == ConfigNode::Kind::list)
    std::for_each(node.items.begin(), node.items.end(), add);
  else
    add(node);
  return names;
}

}  // namespace

bool is_study_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '@';
         });
}

std::vector<StudySetting> study_settings(const ConfigNode& node, std::string_view what) {
  std::vector<StudySetting> settings;
  for (const auto& [key, value] : study_map(node, what)) settings.push_back({key, value});
  return settings;
}

ConfigNode scalar_node(const std::string& text, const std::string& where) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::scalar;
  node.scalar = text;
  node.where = node.key_where = where;
  return node;
}

std::string canonical_value(const std::string& value) {
  const double number = axis_number(value);
  return std::isnan(number) ? value : fmt::format("{}", number);
}

StudyAxis read_study_axis(const std::string& name, const ConfigNode& node) {
  StudyAxis axis{.name = name, .where = node.key_where, .keys = {}, .values = {}};
  if (name == variant_axis || name == rank_axis || name == query_axis || !is_dotted_name(name))
    throw ConfigError(
        fmt::format("{}: {} cannot name an axis; expected letters, digits and _, none of variant, "
                    "rank and query",
                    node.key_where, quote(name)));
  const std::string what = "axis " + name;
  if (node.kind != ConfigNode::Kind::map) {
    axis.keys = {name};
    axis.values = values_of_keys(node, name, axis.keys);
  } else {
    expect_study_keys(node, {"key", "values"}, what);
    const ConfigNode* const key = node.find("key");
    const ConfigNode* const values = node.find("values");
    if (values == nullptr)
      throw ConfigError(fmt::format("{}: {} has no values; expected some", node.where, what));
    if (key != nullptr) {
      axis.keys = names_in(*key, what + ".key");
      axis.values = values_of_keys(*values, name, axis.keys);
    } else {
      for (const auto& [value_name, settings] : study_map(*values, what + " without a key"))
        axis.values.push_back({value_name, study_settings(settings, value_name)});
    }
  }
  expect_different_values(axis);
  return axis;
}

void choose_values(StudyAxis& axis, const ConfigNode& node) {
  std::vector<StudyAxisValue> chosen;
  for (StudyAxisValue& value : values_of_keys(node, axis.name, axis.keys)) {
    const auto known = std::ranges::find_if(axis.values, [&](const StudyAxisValue& other) {
      return same_axis_value(other.name, value.name);
    });
    if (known == axis.values.end() && axis.keys.empty()) {
      std::vector<std::string> names;
      for (const StudyAxisValue& other : axis.values) names.push_back(other.name);
      throw ConfigError(fmt::format("{}: axis {} has no value {}; expected some of {}", node.where,
                                    axis.name, quote(value.name), fmt::join(names, ", ")));
    }
    chosen.push_back(known == axis.values.end() ? std::move(value) : *known);
  }
  axis.values = std::move(chosen);
  axis.where = node.where;
  expect_different_values(axis);
}

}  // namespace ultr
