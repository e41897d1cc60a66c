#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runs/results/run_results.h"
#include "studies/study.h"

namespace ultr {

/// A measure by seed, of the runs that have it: one number, or in a list one per rank.
struct StudyCell {
  bool list = false;
  std::map<std::string, std::vector<double>> by_seed;
};

/// The results of a study: one row per point, one column per measure.
struct StudyTable {
  const Study& study;
  std::span<const RunResults> runs{};  // one per point; if there are none, all measures are 1

  bool is_open() const { return runs.empty(); }
  /// Returns a measure of points that differ in their seed, or another repetition, alone. Several
  /// points with the same seed count with their mean.
  StudyCell cell(const StudyMeasure& measure, std::span<const std::size_t> points) const;
};

}  // namespace ultr
