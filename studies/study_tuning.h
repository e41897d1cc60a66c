#pragma once

#include <span>
#include <string>
#include <vector>

#include "metrics/seed_summary.h"
#include "runs/results/run_results.h"
#include "studies/study_grid.h"

/// Tuning inside a study: before its runs, each variant gets the options with the best validation
/// results, by runs with seeds of their own. docs/studies.md documents the section `tune`.
namespace ultr {

/// Section `tune` of a study, or one of the stages that it lists.
struct TuningStage {
  std::string where;                  // file, line and column
  std::string of{};                   // the only variant that is tuned, for all; empty: each is
  std::vector<std::string> adopters;  // variants that get what is chosen
  std::string by = "valid.loss";      // path of a number in results.json
  bool highest = false;               // which is best: the highest or the lowest
  std::vector<std::string> per;       // axes along which options are chosen separately
  std::vector<std::string> options;   // names of the axes of candidates
  /// The runs: variants that are tuned, along `per`, the options and the seeds of tuning.
  StudyGrid grid;
  std::vector<StudyPoint> points;  // of the grid

  /// Returns the keys of the options that are tuned.
  std::vector<std::string> keys() const;
};

/// Reads the section `tune`: its stages, in order, or itself as the only one. `whole`: the grid of
/// the study; `grid`: the same as overrides left it. Throws ConfigError (file, line, column) for a
/// wrong form, an unknown or open axis, an unknown variant, a seed that the study has too, options
/// that a later stage would replace for all, a place that gets no options, and if no variant is
/// left to tune.
std::vector<TuningStage> read_study_tuning(const ConfigNode& node, const StudyGrid& whole,
                                           const StudyGrid& grid);

/// A combination of options that was tried.
struct TuningCandidate {
  StudyCoordinates options;  // (name, value)
  std::vector<StudySetting> settings;
  SeedSummary result;  // of the tuning's measure; NaN if a run has none
};

/// Options of one variant, or of one of its places along the axes `per`.
struct TunedOptions {
  StudyCoordinates place;             // the variant first, then values of `per`
  std::vector<std::string> adopters;  // the variant, or all that take its options
  std::vector<TuningCandidate> candidates;
  std::size_t best = 0;  // its number

  const TuningCandidate& chosen() const { return candidates[best]; }
};

/// Returns the candidates of each variant and place. `runs`: the results, one per point; without
/// any, the first candidates count as the best. Of equal results the first is best. Throws
/// DataError if no candidate of a place has results of all seeds.
std::vector<TunedOptions> choose_options(const TuningStage& stage,
                                         std::span<const RunResults> runs);

/// Returns the options that were chosen for a point, or null.
const TunedOptions* find_options(const std::vector<TunedOptions>& tuned, const StudyPoint& point);

/// Adds the chosen options to the settings of the points that they were chosen for.
void apply_tuning(const std::vector<TunedOptions>& tuned, std::vector<StudyPoint>& points);
/// Adds them to the points of a later stage, whose own candidates hold over them.
void apply_tuning(const std::vector<TunedOptions>& tuned, TuningStage& later);

}  // namespace ultr
