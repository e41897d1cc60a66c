#include "studies/study_tuning.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ultr {
namespace {

/// Returns the place that a run of tuning is for, and the options that it tries.
std::pair<StudyCoordinates, StudyCoordinates> place_and_options(const TuningStage& stage,
                                                                const StudyPoint& point) {
  StudyCoordinates place, options;
  for (const auto& [axis, value] : point.coordinates) {
    if (axis == variant_axis || std::ranges::count(stage.per, axis) > 0)
      place.emplace_back(axis, value);
    if (std::ranges::count(stage.options, axis) > 0) options.emplace_back(axis, value);
  }
  return {std::move(place), std::move(options)};
}

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

/// Returns the candidates of each place with their results by seed, none chosen.
std::vector<TunedOptions> tried_options(const TuningStage& stage,
                                        std::span<const RunResults> runs) {
  std::vector<TunedOptions> tuned;
  for (std::size_t p = 0; p < stage.points.size(); ++p) {
    const StudyPoint& point = stage.points[p];
    const auto [place, options] = place_and_options(stage, point);
    const std::string& variant = place.front().second;
    if (tuned.empty() || tuned.back().place != place)
      tuned.push_back({place, stage.of.empty() ? std::vector{variant} : stage.adopters, {}});
    std::vector<TuningCandidate>& candidates = tuned.back().candidates;
    if (candidates.empty() || candidates.back().options != options) {
      const auto its = std::ranges::find(stage.grid.variants, variant, &StudyVariant::name);
      candidates.push_back({options, settings_of(*its, options), {}});
    }
    double result = 0;
    if (!runs.empty()) {
      const auto found = runs[p].metrics.find(stage.by);
      result = found == runs[p].metrics.end() ? NAN : found->second;
    }
    candidates.back().result.by_seed.emplace_back(point.seed(), result);
  }
  return tuned;
}

}  // namespace

std::vector<std::string> TuningStage::keys() const {
  std::vector<std::string> keys;
  for (const StudyVariant& variant : grid.variants)
    for (const StudyAxis& axis : variant.axes)
      if (std::ranges::count(options, axis.name) > 0)
        for (const StudyAxisValue& value : axis.values)
          for (const StudySetting& setting : value.settings) keys.push_back(setting.key);
  return keys;
}

std::vector<TunedOptions> choose_options(const TuningStage& stage,
                                         std::span<const RunResults> runs) {
  std::vector<TunedOptions> tuned = tried_options(stage, runs);
  for (TunedOptions& place : tuned) {
    for (TuningCandidate& candidate : place.candidates)
      candidate.result = summarize_seeds(std::move(candidate.result.by_seed));
    const auto rank = [&](const TuningCandidate& candidate) {
      const double mean = candidate.result.mean;
      return std::isfinite(mean) ? (stage.highest ? -mean : mean) : INFINITY;
    };
    const auto best = std::ranges::min_element(place.candidates, {}, rank);
    if (!std::isfinite(rank(*best)))
      throw DataError(fmt::format("tuning of {}: no candidate has {} with all seeds; expected one",
                                  shown_scope(place.place), stage.by));
    place.best = static_cast<std::size_t>(best - place.candidates.begin());
  }
  return tuned;
}

const TunedOptions* find_options(const std::vector<TunedOptions>& tuned, const StudyPoint& point) {
  const auto found = std::ranges::find_if(tuned, [&](const TunedOptions& options) {
    return std::ranges::all_of(options.place, [&](const auto& at) {
      const std::string* const value = value_on(at.first, point.coordinates);
      if (value == nullptr) return false;
      return at.first == variant_axis ? std::ranges::count(options.adopters, *value) > 0
                                      : same_axis_value(*value, at.second);
    });
  });
  return found == tuned.end() ? nullptr : &*found;
}

void apply_tuning(const std::vector<TunedOptions>& tuned, std::vector<StudyPoint>& points) {
  for (StudyPoint& point : points)
    if (const TunedOptions* const options = find_options(tuned, point)) {
      const std::vector<StudySetting>& settings = options->chosen().settings;
      point.settings.insert(point.settings.end(), settings.begin(), settings.end());
    }
}

void apply_tuning(const std::vector<TunedOptions>& tuned, TuningStage& later) {
  apply_tuning(tuned, later.points);
  for (StudyPoint& point : later.points) {
    const auto [place, options] = place_and_options(later, point);
    const auto variant =
        std::ranges::find(later.grid.variants, place.front().second, &StudyVariant::name);
    const std::vector<StudySetting> own = settings_of(*variant, options);
    point.settings.insert(point.settings.end(), own.begin(), own.end());
  }
}

}  // namespace ultr
