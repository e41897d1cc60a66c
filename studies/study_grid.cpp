#include "studies/study_grid.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/quote.h"
#include "studies/study_nodes.h"
#include "studies/sweep_grid.h"

namespace ultr {
namespace {

constexpr std::size_t most_runs = 10000;

StudyVariant read_variant(const std::string& name, const ConfigNode& node,
                          const std::vector<StudyAxis>& axes) {
  if (!is_study_name(name))
    throw ConfigError(fmt::format(
        "{}: {} cannot name a variant; expected letters, digits, _ and @, no digit first",
        node.key_where, quote(name)));
  StudyVariant variant{.name = name, .where = node.key_where, .settings = {}, .axes = axes};
  if (node.kind == ConfigNode::Kind::empty) return variant;
  for (StudySetting& setting : study_settings(node, "variant " + name))
    if (setting.key == "tune")
      variant.tune.push_back(std::move(setting.value));
    else if (setting.key != "grid")
      variant.settings.push_back(std::move(setting));
  const ConfigNode* const own = node.find("grid");
  if (own == nullptr) return variant;
  for (const auto& [axis_name, values] : study_map(*own, "grid of variant " + name)) {
    const auto found = std::ranges::find(variant.axes, axis_name, &StudyAxis::name);
    if (found == variant.axes.end()) {
      variant.axes.push_back(read_study_axis(axis_name, values));
      continue;
    }
    if (values.kind == ConfigNode::Kind::empty) {  // the variant does not have the options
      variant.axes.erase(found);
      continue;
    }
    if (values.kind == ConfigNode::Kind::map)
      *found = read_study_axis(axis_name, values);
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

std::vector<std::string> StudyGrid::all_axis_names() const {
  std::vector<std::string> names;
  for (const StudyVariant& variant : variants)
    for (const StudyAxis& axis : variant.axes)
      if (std::ranges::count(names, axis.name) == 0) names.push_back(axis.name);
  return names;
}

std::vector<std::string> StudyGrid::axis_names() const {
  std::vector<std::string> names = all_axis_names();
  std::erase_if(names, [&](const std::string& name) {
    return name != seed_axis && std::ranges::count(over, name) > 0;
  });
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

std::string StudyGrid::pair_of(const StudyCoordinates& coordinates) const {
  const std::string* const value = value_on(over.empty() ? seed_axis : over.back(), coordinates);
  return value == nullptr ? "" : *value;
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
    const std::string pair = pair_of(point.coordinates);
    std::erase_if(point.coordinates, [&](const auto& at) {
      return at.first == seed_axis || std::ranges::count(over, at.first) > 0;
    });
    point.coordinates.emplace_back(seed_axis, pair);
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
    for (const auto& [name, node] : study_map(*grid, "grid"))
      axes.push_back(read_study_axis(name, node));
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
