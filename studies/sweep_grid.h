#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ultr {

/// An override "key=value,value" of the command line.
struct SweepAxis {
  std::string key;
  std::vector<std::string> values;  // see sweep_values
};

/// Splits an override. Throws ConfigError as sweep_values does, and if it has no key or no '='.
SweepAxis sweep_axis(const std::string& assignment);

/// One run of a sweep.
struct SweepPoint {
  std::vector<std::string> overrides;  // "key=value", in the order given
  std::string name;    // the varied options: "optimizer.lr=0.01 seed=1"; empty if nothing
  std::string folder;  // the same as a file name: letters, digits and _ . , = + - alone
};

/// Returns the values of an override: the text between its commas, which do not count within
/// brackets, braces and quotes: "[1,2],[3,4]" has two values, "[1,2]" and "'a, b'" one. "1..5" is
/// 1,2,3,4,5. Throws ConfigError, with `where`, if one of several values is empty, or a range falls
/// or has more than 10,000 numbers.
std::vector<std::string> sweep_values(std::string_view text, const std::string& where);

/// Returns the name as a file name that any system takes and no shell needs to quote: its letters,
/// digits and _ . , = + -, at most 200. Different names may become the same.
std::string sweep_folder_name(std::string_view name);

/// Returns the folder name of a run, with a number behind it if another run has the same, and adds
/// it to the used ones.
std::string unique_folder_name(std::string_view name, std::set<std::string>& used);

/// Returns the grid of all combinations of the values of all overrides; the last key varies
/// fastest. Overrides with one value each make one point. Throws ConfigError as sweep_values does,
/// and if an override has no '=', a key with several values is given twice, `output` has several,
/// or there are more than 10,000 points.
std::vector<SweepPoint> sweep_grid(const std::vector<std::string>& overrides);

}  // namespace ultr
