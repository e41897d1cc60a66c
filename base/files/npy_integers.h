#pragma once

#include <filesystem>
#include <string>

#include "base/files/column.h"

namespace ultr {

/// Returns true for the names of integer types up to 64 bits, and of truth values.
bool is_integer_type(const std::string& npy_type);

/// Maps a vector of integers; returns an empty column if there is no such file. Integers of another
/// type, and truth values, are converted in memory. Throws DataError as map_npy_column does, and
/// with the entry for a number that T does not hold.
template <class T>
Column<T> map_integer_column(const std::filesystem::path& file);

}  // namespace ultr
