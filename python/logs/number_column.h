#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "python/logs/python_column.h"

namespace ultr::python {

/// Returns the whole numbers from `low` to `high` of a column. True and false are 1 and 0. Throws
/// DataError, with the column and the row, for any other value; `expected` says what it should be.
/// Needs the GIL.
std::vector<std::uint16_t> small_numbers(const PythonColumn& column, std::int64_t low,
                                         std::int64_t high, const std::string& expected);
/// Returns the numbers of a column. Throws DataError, with the column and the row, for missing
/// values and texts. Needs the GIL.
std::vector<double> plain_numbers(const PythonColumn& column);
/// Returns the whole numbers of a column, such as those of dates, less the smallest of them. Throws
/// DataError, with the column and the row, for missing values, and for values of another type.
/// Needs the GIL.
std::vector<std::uint64_t> times_of(const PythonColumn& column);

}  // namespace ultr::python
