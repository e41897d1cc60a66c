#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace ultr {

/// Examination propensities by 0-based position: how much users examine a position relative to the
/// first. They are at least 0, may exceed 1, and are NaN where unknown.
using Propensities = std::vector<double>;

/// Reads propensities from a CSV file. Its header is `position` and a second column of any name.
/// Each row has a position, from 1 to 65536 and in any order, and its propensity: a finite number
/// of at least 0, or blank. The result is as long as the largest position, with NaN for missing and
/// blank entries. Zeros are accepted; callers that divide by propensities must check for them.
/// Throws DataError with file, line, what was found and what was expected for anything else, such
/// as a repeated position, and for a file without any position.
Propensities read_propensities(const std::filesystem::path& file);

/// Writes a CSV file that read_propensities reads back bit-identically: one row per position, blank
/// for NaN. The file appears completely or not at all. `column` names the second column.
/// Throws Error if the name is empty or has a comma, a quote or a line break, or if a number is
/// negative or infinite; DataError if the file cannot be written.
void write_propensities(const std::filesystem::path& file, std::string_view column,
                        std::span<const double> propensities);

}  // namespace ultr
