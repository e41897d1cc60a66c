#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/quote.h"
#include "runs/results/measures.h"
#include "studies/study_nodes.h"
#include "studies/study_tuning.h"

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

/// Returns true if a variant takes no part in tuning.
bool is_untuned(const StudyVariant& variant) {
  if (variant.tune.empty()) return false;
  const ConfigNode& own = variant.tune.front();
  return own.kind == ConfigNode::Kind::scalar && own.scalar == "none";
}

/// Reads one stage of tuning.
class TuningStageReader {
 public:
  /// `last`: variants' own options belong to this stage.
  TuningStageReader(const ConfigNode& node, const StudyGrid& whole, const StudyGrid& grid,
                    bool last)
      : node_(node), whole_(whole), grid_(grid), last_(last) {
    expect_study_keys(node, {"of", "options", "by", "best", "seeds", "per", "at"}, "tune");
    stage_.where = node.where;
  }

  TuningStage read() {
    read_measure();
    stage_.per = study_texts(node_, "per");
    for (const std::string& axis : stage_.per) expect_axis(axis, *node_.find("per"));
    read_places();
    read_of();
    if (const ConfigNode* const options = node_.find("options"))
      add_options(*options, "tune.options", options_);
    for (const StudyVariant& variant : grid_.variants)
      if (!is_untuned(variant)) add_variant(variant);
    if (stage_.grid.variants.empty())
      fail(node_, "tune has no options for any variant; expected some, such as optimizer.lr");
    stage_.points = stage_.grid.points();
    return std::move(stage_);
  }

 private:
  void read_measure() {
    stage_.by = study_text(node_, "by", stage_.by);
    const ConfigNode* const by = node_.find("by");
    // The seeds of tuning must not choose by the lists that claims are about.
    const bool other_lists = std::ranges::any_of(whole_.variants, [](const StudyVariant& variant) {
      return std::ranges::any_of(variant.axes, [](const StudyAxis& axis) {
        return axis.name == seed_axis && axis.keys.size() > 1;
      });
    });
    if (by != nullptr && !stage_.by.starts_with("valid.") && !other_lists)
      fail(*by, fmt::format("tune.by is {}; expected a measure of validation sessions, such as "
                            "valid.loss, or an axis seed that also sets the seed of the lists",
                            quote(stage_.by)));
    const Better better = better_of(stage_.by);
    stage_.highest = better == Better::higher;
    const ConfigNode* const best = node_.find("best");
    if (best == nullptr) {
      if (better == Better::neither)
        fail(*by, fmt::format("tune.by is {}, which has no direction; expected best: lowest or "
                              "best: highest beside it",
                              quote(stage_.by)));
      return;
    }
    const std::string which = study_text(node_, "best");
    if (which != "lowest" && which != "highest")
      fail(*best, fmt::format("tune.best is {}; expected lowest or highest", quote(which)));
    stage_.highest = which == "highest";
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

  void read_of() {
    const ConfigNode* const of = node_.find("of");
    if (of == nullptr) return;
    stage_.of = study_text(node_, "of");
    std::vector<std::string> names = whole_.variant_names();
    std::erase(names, "");  // the only one of a study without variants
    expect_known(of->where, "variant", stage_.of, names);
    if (is_untuned(*std::ranges::find(whole_.variants, stage_.of, &StudyVariant::name)))
      fail(*of, fmt::format("tune.of is {}, which has tune: none; expected a variant that is tuned",
                            stage_.of));
  }

  /// Returns the options to tune for a variant.
  std::vector<StudyAxis> options_of(const StudyVariant& variant) const {
    std::vector<StudyAxis> options = options_;
    if (!last_ || variant.tune.empty()) return options;
    const ConfigNode& own = variant.tune.front();
    if (!stage_.of.empty())
      fail(own, fmt::format("variant {} has options of its own to tune, but the last stage of tune "
                            "is of {} for all; expected one that tunes each variant",
                            variant.name, stage_.of));
    add_options(own, fmt::format("tune of variant {}", variant.name), options);
    return options;
  }

  void add_variant(const StudyVariant& variant) {
    const std::vector<StudyAxis> options = options_of(variant);
    if (options.empty()) return;
    stage_.adopters.push_back(variant.name);
    if (!stage_.of.empty() && stage_.of != variant.name) return;
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
      if (std::ranges::count(stage_.options, option.name) == 0)
        stage_.options.push_back(option.name);
      tuned.axes.push_back(option);
    }
    tuned.axes.push_back(axis_of_seeds(variant.axes).variants.front().axes.front());
    stage_.grid.variants.push_back(std::move(tuned));
  }

  /// Returns an axis of a variant with the values along which tuning goes.
  StudyAxis narrowed(const StudyAxis& axis, const StudyVariant& variant) const {
    if (std::ranges::count(stage_.per, axis.name) > 0) return axis;
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
  const bool last_;
  TuningStage stage_;
  std::vector<StudyAxis> options_;    // of all variants
  std::vector<StudySetting> places_;  // values of axes that are neither in `per` nor tuned
  ConfigNode seeds_;
};

/// Returns the grid with the variants that stages from this one on are tuned on for all, also if
/// overrides left them out.
StudyGrid with_variants_of(std::span<const ConfigNode> stages, const StudyGrid& whole,
                           StudyGrid grid) {
  for (const ConfigNode& stage : stages)
    if (const ConfigNode* const of = stage.find("of"))
      for (const StudyVariant& variant : whole.variants)
        if (variant.name == of->scalar && std::ranges::count(grid.variant_names(), of->scalar) == 0)
          grid.variants.push_back(variant);
  return grid;
}

/// Throws ConfigError if a stage replaces for all variants what an earlier one tuned for each.
void expect_choices_kept(const TuningStage& stage, std::span<const TuningStage> earlier) {
  if (stage.of.empty()) return;
  for (const TuningStage& before : earlier) {
    if (!before.of.empty()) continue;
    const std::vector<std::string> keys = before.keys();
    for (const std::string& key : stage.keys())
      if (std::ranges::count(keys, key) > 0)
        throw ConfigError(fmt::format(
            "{}: tune has the option {} of {} for all variants, which an earlier stage tunes for "
            "each; expected the stage for each variant last",
            stage.where, key, stage.of));
  }
}

/// Throws ConfigError if a stage has options for a variant, but not at one of its points.
void expect_options(const TuningStage& stage, const std::vector<StudyPoint>& points) {
  const std::vector<TunedOptions> tuned = choose_options(stage, {});
  for (const StudyPoint& point : points) {
    StudyCoordinates place = point.coordinates;
    if (std::ranges::count(stage.adopters, place.front().second) == 0 ||
        find_options(tuned, point) != nullptr)
      continue;
    place.pop_back();  // the seed
    if (place.front().second.empty()) place.erase(place.begin());
    throw ConfigError(
        fmt::format("{}: tune has options per {}, but none for {}; expected values that are tuned",
                    stage.where, fmt::join(stage.per, ", "), shown_scope(place)));
  }
}

}  // namespace

std::vector<TuningStage> read_study_tuning(const ConfigNode& node, const StudyGrid& whole,
                                           const StudyGrid& grid) {
  const bool listed = node.kind == ConfigNode::Kind::list;
  const std::span<const ConfigNode> nodes = listed ? std::span(node.items) : std::span(&node, 1);
  if (nodes.empty())
    throw ConfigError(fmt::format("{}: tune has no stages; expected some", node.where));
  std::vector<TuningStage> stages;
  for (std::size_t s = 0; s < nodes.size(); ++s) {
    const StudyGrid tuned = with_variants_of(nodes.subspan(s), whole, grid);
    TuningStage stage = TuningStageReader(nodes[s], whole, tuned, s + 1 == nodes.size()).read();
    expect_choices_kept(stage, stages);
    for (const TuningStage& earlier : stages) expect_options(earlier, stage.points);
    stages.push_back(std::move(stage));
  }
  const std::vector<StudyPoint> points = grid.points();
  for (const TuningStage& stage : stages) expect_options(stage, points);
  return stages;
}

}  // namespace ultr
