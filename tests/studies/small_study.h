#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/study.h"
#include "studies/study_reader.h"
#include "studies/study_table.h"
#include "testing/temporary_folder.h"

namespace ultr::testing {

/// A study with made-up results.
class SmallStudy {
 public:
  /// Returns the metrics of a run by their paths in results.json; empty if it failed.
  using Results = std::function<std::map<std::string, double>(const StudyPoint& point)>;

  explicit SmallStudy(const std::string& yaml, const std::vector<std::string>& overrides = {})
      : file_(folder_.write("small.yaml", yaml)),
        study(read_study(file_, overrides)),
        points(study.grid.points()) {}

  StudyTable table(const Results& results) {
    runs.clear();
    for (const StudyPoint& point : points) {
      RunResults& run =
          runs.emplace_back(RunResults{.folder = point.folder, .name = {}, .options = {}});
      run.metrics = results(point);
      if (run.metrics.empty()) run.failure = "did not work";
    }
    return {study, points, runs};
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path file_;

 public:
  Study study;
  std::vector<StudyPoint> points;
  std::vector<RunResults> runs;
};

/// Returns the value of a point on an axis, or its seed, as a number.
inline double on_axis(const StudyPoint& point, const std::string& axis) {
  if (axis == seed_axis) return axis_number(point.seed);
  for (const auto& [name, value] : point.coordinates)
    if (name == axis) return axis_number(value);
  return 0;
}

}  // namespace ultr::testing
