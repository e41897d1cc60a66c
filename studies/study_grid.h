#pragma once

#include <string>
#include <utility>
#include <vector>

#include "options/config_tree.h"
#include "studies/comparison/axis_value.h"

/// The grid of a study: axes with their values, and variants.
namespace ultr {

/// A setting of an option: a dotted key and its value.
struct StudySetting {
  std::string key;
  ConfigNode value;
};

struct StudyAxisValue {
  std::string name;  // as it was written, on one line
  std::vector<StudySetting> settings;
};

/// An axis of the grid.
struct StudyAxis {
  std::string name;
  std::string where;              // file, line and column
  std::vector<std::string> keys;  // of the options that a value sets; none if values are named sets
  std::vector<StudyAxisValue> values;
};

/// A named set of options with the axes along which it runs.
struct StudyVariant {
  std::string name;  // empty: the only one, of a study without variants
  std::string where;
  std::vector<StudySetting> settings;
  std::vector<StudyAxis> axes;  // in the order of the grid, then its own
};

/// The name of the axis of variants, of seeds, of the entries of lists, and of the test queries,
/// which are no option.
inline constexpr const char *variant_axis = "variant", *seed_axis = "seed", *rank_axis = "rank",
                            *query_axis = "query";

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

  /// Returns all axes but variant and rank, in order of appearance.
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
};

/// Reads the sections grid and variants of a study, either of which may be null. Throws ConfigError
/// (file, line, column) for a wrong form or name, or a value that is there twice.
StudyGrid read_study_grid(const ConfigNode* grid, const ConfigNode* variants);

}  // namespace ultr
