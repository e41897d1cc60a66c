#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiment/run_results.h"
#include "studies/study.h"

namespace ultr {

/// A measure at some coordinates of a variant.
struct StudyCell {
  bool list = false;  // the measure is a list, by rank; else each vector has one number
  /// Of the runs that have it. A variant without an axis of seeds has the seed "".
  std::map<std::string, std::vector<double>> by_seed;
};

/// What the runs of a study measured.
class StudyValues {
 public:
  /// Of its runs, one for each of the grid's points, in this order.
  StudyValues(const Study& study, std::span<const StudyPoint> points,
              std::span<const RunResults> runs);
  /// Stands for the results before there are any: ones, of which it is open whether they are lists.
  StudyValues(const Study& study, std::span<const StudyPoint> points);

  bool are_open() const { return open_; }
  /// Null if no such run was planned.
  const StudyCell* find(std::size_t variant, const StudyCoordinates& coordinates,
                        std::string_view measure) const;
  /// All seeds of the axis of them, in order of appearance; without one "", that of the experiment.
  const std::vector<std::string>& seeds() const { return seeds_; }

 private:
  struct Key {
    std::size_t variant;
    StudyCoordinates coordinates;
    auto operator<=>(const Key&) const = default;
  };
  void add_seed(const std::string& seed);

  bool open_ = false;
  std::map<Key, std::map<std::string, StudyCell, std::less<>>> cells_;
  std::vector<std::string> seeds_;
};

}  // namespace ultr
