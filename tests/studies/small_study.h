#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "studies/study.h"
#include "studies/study_evaluation.h"
#include "testing/temporary_folder.h"

namespace ultr::testing {

/// A study with made-up results.
class SmallStudy {
 public:
  /// Returns the metrics of a run by their paths in results.json; empty if it failed.
  using Results = std::function<std::map<std::string, double>(const StudyPoint& point)>;

  explicit SmallStudy(const std::string& yaml, const std::vector<std::string>& overrides = {})
      : file_(folder_.write("small.yaml", yaml)), study(read_study(file_, overrides)) {}

  StudyTable table(const Results& results) {
    runs.clear();
    for (const StudyPoint& point : study.points) {
      RunResults& run =
          runs.emplace_back(RunResults{.folder = point.folder, .name = {}, .options = {}});
      run.metrics = results(point);
      if (run.metrics.empty()) run.failure = "did not work";
    }
    return {.study = study, .runs = runs};
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path file_;

 public:
  Study study;
  std::vector<RunResults> runs;
};

/// Returns the value of a point on an axis, or its seed, as a number; 0 if it has none.
inline double on_axis(const StudyPoint& point, const std::string& axis) {
  const std::string* const value = value_on(axis, point.coordinates);
  return value == nullptr ? 0 : axis_number(*value);
}

/// Returns the number of a point's variant, in the order of the names; 0 without variants.
inline double variant_of(const StudyPoint& point, const std::vector<std::string>& names) {
  const std::string& name = point.coordinates.front().second;
  return name.empty() ? 0 : static_cast<double>(std::ranges::find(names, name) - names.begin());
}

}  // namespace ultr::testing
