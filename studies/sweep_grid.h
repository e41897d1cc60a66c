#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ultr {

/// One run of a sweep.
struct SweepPoint {
  std::vector<std::string> overrides;  // "key=value", in the order given
  std::string name;    // what the sweep varies: "optimizer.lr=0.01 seed=1"; empty if nothing
  std::string folder;  // the same as a file name: letters, digits and _ . , = + - alone
};

/// The values of an override: the text between its commas, which do not count within brackets,
/// braces and quotes: "[1,2],[3,4]" has two values, "[1,2]" and "'a, b'" one. "1..5" is 1,2,3,4,5.
/// Throws ConfigError, with `where`, if one of several values is empty, or a range falls or has
/// more than 10,000 numbers.
std::vector<std::string> sweep_values(std::string_view text, const std::string& where);

/// A name with only what may stand in a file name of any system and needs no quotes in a shell:
/// letters, digits and _ . , = + -, of these at most 200. Different names may become the same.
std::string sweep_folder_name(std::string_view name);

/// The grid of all combinations of the values of all overrides; the last key varies fastest.
/// Overrides with one value each make one point. Throws ConfigError as sweep_values does, and if an
/// override has no '=', a key with several values is given twice, `output` has several, or there
/// are more than 10,000 points.
std::vector<SweepPoint> sweep_grid(const std::vector<std::string>& overrides);

}  // namespace ultr
