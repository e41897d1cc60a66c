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
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '@';
         });
}

bool is_dotted_name(std::string_view text) {
  std::size_t begin = 0;
  for (;;) {
    const std::size_t dot = text.find('.', begin);
    if (!is_name(text.substr(begin, dot == text.npos ? dot : dot - begin))) return false;
    if (dot == text.npos) return true;
    begin = dot + 1;
  }
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
  if (name == variant_axis || name == rank_axis || !is_dotted_name(name))
    throw ConfigError(fmt::format(
        "{}: {} cannot name an axis; expected letters, digits and _, none of variant and rank",
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

std::vector<StudyAxis> read_axes(const ConfigNode* grid) {
  std::vector<StudyAxis> axes;
  if (grid == nullptr || grid->kind == ConfigNode::Kind::empty) return axes;
  for (const auto& [name, node] : study_map(*grid, "grid")) axes.push_back(read_axis(name, node));
  return axes;
}

/// Sets the values of an axis to those that a variant, or the command line, names: some of the
/// axis' values, or, unless these are named sets of options, further ones.
void choose_values(StudyAxis& axis, const ConfigNode& node) {
  std::vector<StudyAxisValue> chosen;
  for (StudyAxisValue& value : values_of_keys(node, axis.name, axis.keys)) {
    const auto known = std::find_if(
        axis.values.begin(), axis.values.end(),
        [&](const StudyAxisValue& other) { return same_axis_value(other.name, value.name); });
    if (known == axis.values.end() && axis.keys.empty()) {
      std::vector<std::string> names;
      for (const StudyAxisValue& other : axis.values) names.push_back(other.name);
      throw ConfigError(fmt::format("{}: axis {} has no value {}; expected some of {}", node.where,
                                    axis.name, quote(value.name), fmt::join(names, ", ")));
    }
    if (known == axis.values.end())
      chosen.push_back(std::move(value));
    else
      chosen.push_back(*known);
  }
  axis.values = std::move(chosen);
  axis.where = node.where;
  expect_different_values(axis);
}

/// Returns the axis of a variant that narrows it.
StudyAxis narrowed(StudyAxis axis, const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::map) return read_axis(axis.name, node);
  choose_values(axis, node);
  return axis;
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
    const auto found =
        std::find_if(variant.axes.begin(), variant.axes.end(),
                     [&, axis = axis_name](const StudyAxis& a) { return a.name == axis; });
    if (found == variant.axes.end()) {
      variant.axes.push_back(read_axis(axis_name, values));
      continue;
    }
    if (values.kind == ConfigNode::Kind::empty) {  // the variant does not have the options
      variant.axes.erase(found);
      continue;
    }
    StudyAxis narrow = narrowed(*found, values);
    if (values.kind == ConfigNode::Kind::scalar && narrow.values.size() == 1) {
      // A single value is no axis: the variant stands for every value.
      for (StudySetting& setting : narrow.values.front().settings)
        variant.settings.push_back(std::move(setting));
      variant.axes.erase(found);
    } else {
      *found = std::move(narrow);
    }
  }
  return variant;
}

/// Applies "axis=value,value" from the command line.
void override_axis(StudyGrid& grid, const std::string& assignment) {
  const std::string where = "option " + quote(assignment);
  const std::size_t equals = assignment.find('=');
  const std::string name = assignment.substr(0, equals);
  if (name == variant_axis) {
    const std::vector<std::string> given = sweep_values(assignment.substr(equals + 1), where);
    std::vector<StudyVariant> chosen;
    const std::vector<std::string> names = grid.variant_names();
    for (const std::string& wanted : given) {
      const auto found = std::find(names.begin(), names.end(), wanted);
      if (found == names.end())
        throw ConfigError(fmt::format("{}: there is no variant {}; expected some of {}", where,
                                      quote(wanted), fmt::join(names, ", ")));
      chosen.push_back(grid.variants[static_cast<std::size_t>(found - names.begin())]);
    }
    grid.variants = std::move(chosen);
    return;
  }
  const ConfigNode values = scalar_node(assignment.substr(equals + 1), where);
  for (StudyVariant& variant : grid.variants)
    for (StudyAxis& axis : variant.axes)
      if (axis.name == name) choose_values(axis, values);
}

void expect_names_apart(const StudyGrid& grid) {
  for (const std::string& axis : grid.axis_names())
    for (const StudyVariant& variant : grid.variants)
      if (variant.name == axis)
        throw ConfigError(fmt::format("{}: variant {} has the name of an axis; expected another",
                                      variant.where, axis));
}

}  // namespace

const StudyAxis* StudyGrid::find_axis(std::string_view name) const {
  for (const StudyVariant& variant : variants)
    for (const StudyAxis& axis : variant.axes)
      if (axis.name == name) return &axis;
  return nullptr;
}

std::vector<std::string> StudyGrid::axis_names() const {
  std::vector<std::string> names;
  for (const StudyVariant& variant : variants)
    for (const StudyAxis& axis : variant.axes)
      if (std::find(names.begin(), names.end(), axis.name) == names.end())
        names.push_back(axis.name);
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
  std::set<std::string> folders;
  for (const StudyVariant& variant : variants) {
    std::size_t size = 1;
    for (const StudyAxis& axis : variant.axes) {
      size *= axis.values.size();
      if (points.size() + size > most_runs)
        throw ConfigError(
            fmt::format("{}: makes more than {} runs; expected fewer", axis.where, most_runs));
    }
    for (std::size_t number = 0; number < size; ++number) {
      StudyPoint point{.coordinates = {{variant_axis, variant.name}},
                       .settings = variant.settings,
                       .name = variant.name,
                       .folder = {}};
      std::string seed;
      std::size_t rest = size, remainder = number;
      for (const StudyAxis& axis : variant.axes) {
        rest /= axis.values.size();
        const StudyAxisValue& value = axis.values[remainder / rest];
        remainder %= rest;
        point.settings.insert(point.settings.end(), value.settings.begin(), value.settings.end());
        if (axis.name == seed_axis)
          seed = value.name;
        else
          point.coordinates.emplace_back(axis.name, value.name);
        if (axis.values.size() > 1 || axis.name == seed_axis)
          point.name +=
              fmt::format("{}{}={}", point.name.empty() ? "" : " ", axis.name, value.name);
      }
      point.coordinates.emplace_back(seed_axis, seed);
      if (point.name.empty()) point.name = "run";
      std::string folder = point.name;
      std::replace(folder.begin(), folder.end(), ' ', ',');
      point.folder = unique_folder_name(folder, folders);
      points.push_back(std::move(point));
    }
  }
  return points;
}

StudyGrid read_study_grid(const ConfigNode* grid, const ConfigNode* variants,
                          const std::vector<std::string>& overrides) {
  StudyGrid read;
  const std::vector<StudyAxis> axes = read_axes(grid);
  if (variants == nullptr || variants->kind == ConfigNode::Kind::empty) {
    read.variants.push_back({.name = {}, .where = {}, .settings = {}, .axes = axes});
  } else {
    for (const auto& [name, node] : study_map(*variants, "variants"))
      read.variants.push_back(read_variant(name, node, axes));
    if (read.variants.empty())
      throw ConfigError(variants->where + ": variants is empty; expected some");
  }
  for (const std::string& assignment : overrides) override_axis(read, assignment);
  expect_names_apart(read);
  return read;
}

}  // namespace ultr
