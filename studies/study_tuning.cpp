#include "studies/study_tuning.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/quote.h"
#include "runs/results/measures.h"
#include "studies/study_nodes.h"

namespace ultr {
namespace {

/// Adds the axes of a section of options to those of a study, or replaces those with the same name.
/// An empty entry takes one away.
void add_options(const ConfigNode& node, std::string_view what, std::vector<StudyAxis>& axes) {
  for (const auto& [name, values] : study_map(node, what)) {
    const auto known = std::ranges::find(axes, name, &StudyAxis::name);
    if (values.kind == ConfigNode::Kind::empty) {
      if (known != axes.end()) axes.erase(known);
    } else if (known != axes.end()) {
      *known = read_study_axis(name, values);
    } else {
      axes.push_back(read_study_axis(name, values));
    }
  }
}

class TuningReader {
 public:
  TuningReader(const ConfigNode& node, const StudyGrid& whole, const StudyGrid& grid)
      : node_(node), whole_(whole), grid_(grid) {
    expect_study_keys(node, {"options", "by", "best", "seeds", "per", "at"}, "tune");
  }

  StudyTuning read() {
    read_measure();
    tuning_.per = study_texts(node_, "per");
    for (const std::string& axis : tuning_.per) expect_axis(axis, *node_.find("per"));
    read_places();
    if (const ConfigNode* const options = node_.find("options"))
      add_options(*options, "tune.options", options_);
    for (const StudyVariant& variant : grid_.variants) add_variant(variant);
    if (tuning_.grid.variants.empty())
      fail(node_, "tune has no options for any variant; expected some, such as optimizer.lr");
    tuning_.points = tuning_.grid.points();
    return std::move(tuning_);
  }

 private:
  void read_measure() {
    tuning_.by = study_text(node_, "by", tuning_.by);
    const ConfigNode* const by = node_.find("by");
    // The seeds of tuning must not choose by the lists that claims are about.
    const bool other_lists = std::ranges::any_of(whole_.variants, [](const StudyVariant& variant) {
      return std::ranges::any_of(variant.axes, [](const StudyAxis& axis) {
        return axis.name == seed_axis && axis.keys.size() > 1;
      });
    });
    if (by != nullptr && !tuning_.by.starts_with("valid.") && !other_lists)
      fail(*by, fmt::format("tune.by is {}; expected a measure of validation sessions, such as "
                            "valid.loss, or an axis seed that also sets the seed of the lists",
                            quote(tuning_.by)));
    const Better better = better_of(tuning_.by);
    tuning_.highest = better == Better::higher;
    const ConfigNode* const best = node_.find("best");
    if (best == nullptr) {
      if (better == Better::neither)
        fail(*by, fmt::format("tune.by is {}, which has no direction; expected best: lowest or "
                              "best: highest beside it",
                              quote(tuning_.by)));
      return;
    }
    const std::string which = study_text(node_, "best");
    if (which != "lowest" && which != "highest")
      fail(*best, fmt::format("tune.best is {}; expected lowest or highest", quote(which)));
    tuning_.highest = which == "highest";
  }

  void read_places() {
    if (const ConfigNode* const at = node_.find("at"))
      for (const auto& [axis, value] : study_map(*at, "tune.at")) {
        expect_axis(axis, value);
        places_.push_back({axis, value});
      }
    const ConfigNode* const seeds = node_.find("seeds");
    seeds_ = seeds == nullptr ? scalar_node("101", node_.where) : *seeds;
    for (const std::string& seed : axis_of_seeds({}).values_of(seed_axis))
      for (const std::string& other : whole_.values_of(seed_axis))
        if (same_axis_value(seed, other))
          fail(seeds_,
               fmt::format("tune.seeds has {}, a seed of the study; expected others", seed));
  }

  /// Returns a grid with the seeds of tuning alone, of a variant's axis of seeds if it has one.
  StudyGrid axis_of_seeds(const std::vector<StudyAxis>& axes) const {
    const auto own = std::ranges::find(axes, seed_axis, &StudyAxis::name);
    StudyAxis axis = own == axes.end() ? read_study_axis(seed_axis, seeds_) : *own;
    choose_values(axis, seeds_);
    return {.variants = {{.name = {}, .where = {}, .settings = {}, .axes = {axis}}}};
  }

  void add_variant(const StudyVariant& variant) {
    std::vector<StudyAxis> options = options_;
    if (!variant.tune.empty()) {
      const ConfigNode& own = variant.tune.front();
      if (own.kind == ConfigNode::Kind::scalar && own.scalar == "none") return;
      add_options(own, fmt::format("tune of variant {}", variant.name), options);
    }
    if (options.empty()) return;
    StudyVariant tuned = variant;
    tuned.axes.clear();
    for (const StudyAxis& axis : variant.axes)
      if (axis.name != seed_axis) tuned.axes.push_back(narrowed(axis, variant));
    for (const StudyAxis& option : options) {
      if (std::ranges::count(grid_.all_axis_names(), option.name) > 0)
        throw ConfigError(
            fmt::format("{}: tune has the option {}, which is an axis of the study; "
                        "expected one that the study does not vary",
                        option.where, option.name));
      if (std::ranges::count(tuning_.options, option.name) == 0)
        tuning_.options.push_back(option.name);
      tuned.axes.push_back(option);
    }
    tuned.axes.push_back(axis_of_seeds(variant.axes).variants.front().axes.front());
    tuning_.grid.variants.push_back(std::move(tuned));
  }

  /// Returns an axis of a variant with the values along which tuning goes.
  StudyAxis narrowed(const StudyAxis& axis, const StudyVariant& variant) const {
    if (std::ranges::count(tuning_.per, axis.name) > 0) return axis;
    const auto place = std::ranges::find(places_, axis.name, &StudySetting::key);
    if (place == places_.end()) {
      if (axis.values.size() == 1) return axis;
      fail(node_, fmt::format("tune leaves {} open; expected it in per, or one of its values in at",
                              axis.name));
    }
    // Overrides narrow the study, not what tuning needs.
    const auto same = std::ranges::find(whole_.variants, variant.name, &StudyVariant::name);
    StudyAxis whole = *std::ranges::find(same->axes, axis.name, &StudyAxis::name);
    choose_values(whole, place->value);
    if (whole.values.size() > 1)
      fail(place->value, fmt::format("tune.at has {} values of {}; expected one",
                                     whole.values.size(), axis.name));
    return whole;
  }

  void expect_axis(const std::string& axis, const ConfigNode& node) const {
    expect_known(node.where, "axis", axis, whole_.all_axis_names());
  }

  [[noreturn]] static void fail(const ConfigNode& at, const std::string& what) {
    throw ConfigError(fmt::format("{}: {}", at.where, what));
  }

  const ConfigNode& node_;
  const StudyGrid &whole_, &grid_;
  StudyTuning tuning_;
  std::vector<StudyAxis> options_;    // of all variants
  std::vector<StudySetting> places_;  // values of axes that are neither in `per` nor tuned
  ConfigNode seeds_;
};

/// Returns the settings that values of the options have in a variant.
std::vector<StudySetting> settings_of(const StudyVariant& variant, const StudyCoordinates& values) {
  std::vector<StudySetting> settings;
  for (const auto& [name, value] : values) {
    const StudyAxis& axis = *std::ranges::find(variant.axes, name, &StudyAxis::name);
    const StudyAxisValue& its = *std::ranges::find(axis.values, value, &StudyAxisValue::name);
    settings.insert(settings.end(), its.settings.begin(), its.settings.end());
  }
  return settings;
}

}  // namespace

std::vector<std::string> StudyTuning::keys() const {
  std::vector<std::string> keys;
  for (const StudyVariant& variant : grid.variants)
    for (const StudyAxis& axis : variant.axes)
      if (std::ranges::count(options, axis.name) > 0)
        keys.insert(keys.end(), axis.keys.begin(), axis.keys.end());
  return keys;
}

StudyTuning read_study_tuning(const ConfigNode& node, const StudyGrid& whole,
                              const StudyGrid& grid) {
  return TuningReader(node, whole, grid).read();
}

std::vector<TunedOptions> choose_options(const StudyTuning& tuning,
                                         std::span<const RunResults> runs) {
  std::vector<TunedOptions> tuned;
  std::vector<SeedValues> results;  // of the candidates, one place after the other
  for (std::size_t p = 0; p < tuning.points.size(); ++p) {
    const StudyPoint& point = tuning.points[p];
    StudyCoordinates place, options;
    for (const auto& [axis, value] : point.coordinates) {
      if (axis == variant_axis || std::ranges::count(tuning.per, axis) > 0)
        place.emplace_back(axis, value);
      if (std::ranges::count(tuning.options, axis) > 0) options.emplace_back(axis, value);
    }
    if (tuned.empty() || tuned.back().place != place) tuned.push_back({place, {}});
    std::vector<TuningCandidate>& candidates = tuned.back().candidates;
    if (candidates.empty() || candidates.back().options != options) {
      const auto variant =
          std::ranges::find(tuning.grid.variants, place.front().second, &StudyVariant::name);
      candidates.push_back({options, settings_of(*variant, options), {}});
    }
    double result = 0;
    if (!runs.empty()) {
      const auto found = runs[p].metrics.find(tuning.by);
      result = found == runs[p].metrics.end() ? NAN : found->second;
    }
    candidates.back().result.by_seed.emplace_back(point.seed(), result);
  }
  for (TunedOptions& place : tuned) {
    for (TuningCandidate& candidate : place.candidates)
      candidate.result = summarize_seeds(std::move(candidate.result.by_seed));
    const auto rank = [&](const TuningCandidate& candidate) {
      const double mean = candidate.result.mean;
      return std::isfinite(mean) ? (tuning.highest ? -mean : mean) : INFINITY;
    };
    const auto best = std::ranges::min_element(place.candidates, {}, rank);
    if (!std::isfinite(rank(*best)))
      throw DataError(fmt::format("tuning of {}: no candidate has {} with all seeds; expected one",
                                  shown_scope(place.place), tuning.by));
    place.best = static_cast<std::size_t>(best - place.candidates.begin());
  }
  return tuned;
}

void apply_tuning(const std::vector<TunedOptions>& tuned, std::vector<StudyPoint>& points) {
  for (StudyPoint& point : points)
    for (const TunedOptions& options : tuned)
      if (std::ranges::all_of(options.place, [&](const auto& at) {
            const std::string* const value = value_on(at.first, point.coordinates);
            return value != nullptr && same_axis_value(*value, at.second);
          })) {
        const std::vector<StudySetting>& settings = options.chosen().settings;
        point.settings.insert(point.settings.end(), settings.begin(), settings.end());
      }
}

}  // namespace ultr
