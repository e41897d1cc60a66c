#pragma once

#include <string>
#include <utility>
#include <vector>

#include "options/config_tree.h"
#include "studies/comparison/axis_value.h"
#include "studies/study_axis.h"

/// The grid of a study: axes with their values, and variants.
namespace ultr {

/// A named set of options with the axes along which it runs.
struct StudyVariant {
  std::string name;  // empty: the only one, of a study without variants
  std::string where;
  std::vector<StudySetting> settings;
  std::vector<StudyAxis> axes;     // in the order of the grid, then its own
  std::vector<ConfigNode> tune{};  // its own section `tune`: one or none
};

/// One run of a study.
struct StudyPoint {
  StudyCoordinates coordinates;        // first the variant, last the seed; "" if there is none
  std::vector<StudySetting> settings;  // all of them, later ones over earlier ones
  std::string name;                    // "ips sessions=1e6 seed=1"
  std::string folder;                  // the name as a file name

  const std::string& seed() const { return coordinates.back().second; }
};

struct StudyGrid {
  std::vector<StudyVariant> variants;  // one at least
  /// Axes of repetitions. Numbers are means over them. The values of the last one pair
  /// measurements in tests and take the place of seeds in the coordinates of points; without any,
  /// those of the axis `seed`.
  std::vector<std::string> over{};

  /// Returns all axes but variant and rank, in order of appearance.
  std::vector<std::string> all_axis_names() const;
  /// Returns those along which numbers differ: without repetitions other than seeds.
  std::vector<std::string> axis_names() const;
  std::vector<std::string> variant_names() const;
  /// Returns the names of the values of an axis over all variants, in order of appearance.
  std::vector<std::string> values_of(std::string_view axis) const;
  /// Returns every combination of the values of a variant's axes, one variant after the other.
  /// Throws ConfigError if they are more than 10,000.
  std::vector<StudyPoint> points() const;
  /// Replaces the variants by those of "variant=name,name", or the values of an axis wherever it is
  /// by those of "axis=value,value". Throws ConfigError for unknown names and repeated values.
  void override_axis(const std::string& assignment);

 private:
  /// Returns the value that pairs a point with those of others in tests; empty if it has none.
  std::string pair_of(const StudyCoordinates& coordinates) const;
};

/// Reads the sections grid and variants of a study, either of which may be null. Throws ConfigError
/// (file, line, column) for a wrong form or name, or a value that is there twice.
StudyGrid read_study_grid(const ConfigNode* grid, const ConfigNode* variants);

}  // namespace ultr
