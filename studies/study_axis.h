#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "options/config_tree.h"

/// An axis of the grid of a study: a name with values, each of which sets options.
namespace ultr {

/// The name of the axis of variants, of seeds, of the entries of lists, and of the test queries,
/// which are no option.
inline constexpr const char *variant_axis = "variant", *seed_axis = "seed", *rank_axis = "rank",
                            *query_axis = "query";

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

/// Reads an entry of a grid: values of the option that is the axis' name, a section with key and
/// values, or a section whose values are named sets of options. Throws ConfigError (file, line,
/// column) for a wrong form or name, or a value that is there twice.
StudyAxis read_study_axis(const std::string& name, const ConfigNode& node);

/// Sets the values of an axis to those that a variant, or the command line, names: some of the
/// axis' values, or, unless these are named sets of options, further ones. Throws ConfigError as
/// read_study_axis does.
void choose_values(StudyAxis& axis, const ConfigNode& node);

/// Returns the settings of a section of options with dotted keys. Throws ConfigError if it is none.
std::vector<StudySetting> study_settings(const ConfigNode& node, std::string_view what);

/// Returns a scalar as if it were written at `where`.
ConfigNode scalar_node(const std::string& text, const std::string& where);

/// Returns the same text for equal values.
std::string canonical_value(const std::string& value);

/// Returns true for letters, digits, _ and @, no digit first.
bool is_study_name(std::string_view text);

}  // namespace ultr
