#include "studies/study_grid.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "studies/study_nodes.h"
#include "studies/sweep_grid.h"

namespace ultr {
namespace {

constexpr std::size_t most_runs = 10000;

bool is_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '@';
         });
}

bool is_dotted_name(std::string_view text) {
  const std::size_t dot = text.find('.');
  return is_name(text.substr(0, dot)) && (dot == text.npos || is_dotted_name(text.substr(dot + 1)));
}

std::vector<StudySetting> settings_of(const ConfigNode& node, std::string_view what) {
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

/// Returns the same text for equal values.
std::string canonical_value(const std::string& value) {
  const double number = axis_number(value);
  return std::isnan(number) ? value : fmt::format("{}", number);
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

/// Reads an entry of a grid: values of the option that is the axis' name, a section with key and
/// values, or a section whose values are named sets of options.
StudyAxis read_axis(const std::string& name, const ConfigNode& node) {
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
        axis.values.push_back({value_name, settings_of(settings, value_name)});
    }
  }
  expect_different_values(axis);
  return axis;
}

/// Sets the values of an axis to those that a variant, or the command line, names: some of the
/// axis' values, or, unless these are named sets of options, further ones.
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

StudyVariant read_variant(const std::string& name, const ConfigNode& node,
                          const std::vector<StudyAxis>& axes) {
  if (!is_name(name))
    throw ConfigError(fmt::format(
        "{}: {} cannot name a variant; expected letters, digits, _ and @, no digit first",
        node.key_where, quote(name)));
  StudyVariant variant{.name = name, .where = node.key_where, .settings = {}, .axes = axes};
  if (node.kind == ConfigNode::Kind::empty) return variant;
  for (StudySetting& setting : settings_of(node, "variant " + name))
    if (setting.key != "grid") variant.settings.push_back(std::move(setting));
  const ConfigNode* const own = node.find("grid");
  if (own == nullptr) return variant;
  for (const auto& [axis_name, values] : study_map(*own, "grid of variant " + name)) {
    const auto found = std::ranges::find(variant.axes, axis_name, &StudyAxis::name);
    if (found == variant.axes.end()) {
      variant.axes.push_back(read_axis(axis_name, values));
      continue;
    }
    if (values.kind == ConfigNode::Kind::empty) {  // the variant does not have the options
      variant.axes.erase(found);
      continue;
    }
    if (values.kind == ConfigNode::Kind::map)
      *found = read_axis(axis_name, values);
    else
      choose_values(*found, values);
    if (values.kind == ConfigNode::Kind::scalar && found->values.size() == 1) {
      // A single value is no axis: the variant stands for every value.
      std::ranges::move(found->values.front().settings, std::back_inserter(variant.settings));
      variant.axes.erase(found);
    }
  }
  return variant;
}

}  // namespace

std::vector<std::string> StudyGrid::axis_names() const {
  std::vector<std::string> names;
  for (const StudyVariant& variant : variants)
    for (const StudyAxis& axis : variant.axes)
      if (std::ranges::count(names, axis.name) == 0) names.push_back(axis.name);
  return names;
}

std::vector<std::string> StudyGrid::variant_names() const {
  std::vector<std::string> names;
  for (const StudyVariant& variant : variants) names.push_back(variant.name);
  return names;
}

std::vector<std::string> StudyGrid::values_of(std::string_view axis_name) const {
  if (axis_name == variant_axis) return variant_names();
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const StudyVariant& variant : variants)
    for (const StudyAxis& axis : variant.axes)
      if (axis.name == axis_name)
        for (const StudyAxisValue& value : axis.values)
          if (seen.insert(canonical_value(value.name)).second) names.push_back(value.name);
  return names;
}

std::vector<StudyPoint> StudyGrid::points() const {
  std::vector<StudyPoint> points;
  for (const StudyVariant& variant : variants) {
    std::vector<StudyPoint> own = {{.coordinates = {{variant_axis, variant.name}},
                                    .settings = variant.settings,
                                    .name = variant.name,
                                    .folder = {}}};
    for (const StudyAxis& axis : variant.axes) {
      if (points.size() + own.size() * axis.values.size() > most_runs)
        throw ConfigError(
            fmt::format("{}: makes more than {} runs; expected fewer", axis.where, most_runs));
      std::vector<StudyPoint> finer;
      for (const StudyPoint& point : own)
        for (const auto& [value, settings] : axis.values) {
          StudyPoint& added = finer.emplace_back(point);
          added.settings.insert(added.settings.end(), settings.begin(), settings.end());
          added.coordinates.emplace_back(axis.name, value);
          if (axis.values.size() > 1 || axis.name == seed_axis)
            added.name += fmt::format("{}{}={}", added.name.empty() ? "" : " ", axis.name, value);
        }
      own = std::move(finer);
    }
    points.insert(points.end(), own.begin(), own.end());
  }
  std::set<std::string> folders;
  for (StudyPoint& point : points) {
    const auto seed =
        std::ranges::find(point.coordinates, seed_axis, &StudyCoordinates::value_type::first);
    if (seed == point.coordinates.end())
      point.coordinates.emplace_back(seed_axis, "");
    else
      std::rotate(seed, seed + 1, point.coordinates.end());
    if (point.name.empty()) point.name = "run";
    std::string folder = point.name;
    std::ranges::replace(folder, ' ', ',');
    point.folder = unique_folder_name(folder, folders);
  }
  return points;
}

void StudyGrid::override_axis(const std::string& assignment) {
  const std::string where = "option " + quote(assignment);
  const auto [name, given] = sweep_axis(assignment);
  if (name != variant_axis) {
    const ConfigNode values = scalar_node(assignment.substr(name.size() + 1), where);
    for (StudyVariant& variant : variants)
      for (StudyAxis& axis : variant.axes)
        if (axis.name == name) choose_values(axis, values);
    return;
  }
  std::vector<StudyVariant> chosen;
  for (const std::string& wanted : given) {
    const auto found = std::ranges::find(variants, wanted, &StudyVariant::name);
    if (found == variants.end())
      throw ConfigError(fmt::format("{}: there is no variant {}; expected some of {}", where,
                                    quote(wanted), fmt::join(variant_names(), ", ")));
    chosen.push_back(*found);
  }
  variants = std::move(chosen);
}

StudyGrid read_study_grid(const ConfigNode* grid, const ConfigNode* variants) {
  StudyGrid read;
  std::vector<StudyAxis> axes;
  if (grid != nullptr && grid->kind != ConfigNode::Kind::empty)
    for (const auto& [name, node] : study_map(*grid, "grid")) axes.push_back(read_axis(name, node));
  if (variants == nullptr || variants->kind == ConfigNode::Kind::empty) {
    read.variants.push_back({.name = {}, .where = {}, .settings = {}, .axes = axes});
  } else {
    for (const auto& [name, node] : study_map(*variants, "variants"))
      read.variants.push_back(read_variant(name, node, axes));
    if (read.variants.empty())
      throw ConfigError(variants->where + ": variants is empty; expected some");
  }
  for (const std::string& axis : read.axis_names())
    for (const StudyVariant& variant : read.variants)
      if (variant.name == axis)
        throw ConfigError(fmt::format("{}: variant {} has the name of an axis; expected another",
                                      variant.where, axis));
  return read;
}

}  // namespace ultr
