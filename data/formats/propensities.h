#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace ultr {

/// How much more or less users examine a position than the first, by 0-based position. Numbers from
/// 0 on, which may exceed 1, since they are relative to rank 1; NaN where nothing is known.
using Propensities = std::vector<double>;

/// Reads a CSV file of propensities: a header of `position` and one more column of any name, then
/// rows of a position, from 1 to 65536 and in any order, and its propensity, a finite number of at
/// least 0 or a blank. The result is as long as the largest position and NaN where one is missing
/// or blank. A zero is read as 0: whether it may be divided by is for its user to say.
/// Throws DataError with file, line, what was found and what was expected for anything else, such
/// as a position that stands twice, and for a file without any position.
Propensities read_propensities(const std::filesystem::path& file);

/// Writes such a file whole or not at all: a row for each position, blank where it is NaN; numbers
/// are read back to the bit. `column` is the name of the second column.
/// Throws Error if the name is empty or has a comma, a quote or a line break, or a number is
/// negative or infinite; DataError if the file cannot be written.
void write_propensities(const std::filesystem::path& file, std::string_view column,
                        std::span<const double> propensities);

}  // namespace ultr
