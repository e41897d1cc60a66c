#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "runs/run_results.h"
#include "studies/study.h"

namespace ultr {

/// A value of an axis, or a variant, of which the study has no run.
struct NotRun : ConfigError {
  using ConfigError::ConfigError;
};
/// A number that is missing in the results of a run.
struct MissingNumber : NotRun {
  using NotRun::NotRun;
};

/// A measure by seed, of the runs that have it: one number, or in a list one per rank.
struct StudyCell {
  bool list = false;
  std::map<std::string, std::vector<double>> by_seed;
};

/// The results of a study: one row per point, one column per measure.
class StudyTable {
 public:
  /// Takes one run per point. Without runs it is open: all measures are 1.
  StudyTable(const Study& study, std::span<const StudyPoint> points,
             std::span<const RunResults> runs = {});

  bool is_open() const { return runs_.empty(); }
  /// The seeds in order of appearance; "" alone without an axis of seeds.
  const std::vector<std::string>& seeds() const { return seeds_; }
  /// Returns a measure of rows that differ in their seed alone.
  StudyCell cell(const StudyMeasure& measure, std::span<const std::size_t> rows) const;
  /// Returns the rows of a measure in scope. Throws NotRun, and ConfigError, which starts with
  /// `where`, for unknown names and open axes.
  StudyCell find(const StudyExpression& measure, const StudyCoordinates& scope,
                 const std::string& where) const;
  /// Returns all values of an axis, of variants or of seeds. Throws ConfigError for unknown axes.
  std::vector<std::string> values_along(const std::string& axis, const std::string& where) const;

 private:
  const Study& study_;
  std::span<const RunResults> runs_;
  std::vector<StudyCoordinates> rows_;  // with variant and seed
  std::vector<std::string> seeds_;
};

}  // namespace ultr
