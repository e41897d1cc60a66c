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

/// Section `tune` of a study.
struct StudyTuning {
  std::string by = "valid.loss";     // path of a number in results.json
  bool highest = false;              // which is best: the highest or the lowest
  std::vector<std::string> per;      // axes along which options are chosen separately
  std::vector<std::string> options;  // names of the axes of candidates
  /// The runs: variants that are tuned, along `per`, the options and the seeds of tuning.
  StudyGrid grid;
  std::vector<StudyPoint> points;  // of the grid

  /// Returns the keys of the options that are tuned.
  std::vector<std::string> keys() const;
};

/// Reads the section `tune`. `whole`: the grid of the study; `grid`: the same as overrides left it.
/// Throws ConfigError (file, line, column) for a wrong form, an unknown or open axis, a seed that
/// the study has too, and if no variant is left to tune.
StudyTuning read_study_tuning(const ConfigNode& node, const StudyGrid& whole,
                              const StudyGrid& grid);

/// A combination of options that was tried.
struct TuningCandidate {
  StudyCoordinates options;  // (name, value)
  std::vector<StudySetting> settings;
  SeedSummary result;  // of the tuning's measure; NaN if a run has none
};

/// Options of one variant, or of one of its places along the axes `per`.
struct TunedOptions {
  StudyCoordinates place;  // the variant first, then values of `per`
  std::vector<TuningCandidate> candidates;
  std::size_t best = 0;  // its number

  const TuningCandidate& chosen() const { return candidates[best]; }
};

/// Returns the candidates of each variant and place. `runs`: the results, one per point; without
/// any, the first candidates count as the best. Of equal results the first is best. Throws
/// DataError if no candidate of a place has results of all seeds.
std::vector<TunedOptions> choose_options(const StudyTuning& tuning,
                                         std::span<const RunResults> runs);

/// Adds the chosen options to the settings of the points that they were chosen for.
void apply_tuning(const std::vector<TunedOptions>& tuned, std::vector<StudyPoint>& points);

}  // namespace ultr
