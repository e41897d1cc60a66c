#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace ultr {

/// NumPy's .npy files (format 1.0, little-endian, C order), which `numpy.load` reads as they are.
/// Element types: float, double, int64, uint64, uint32, uint16, uint8.

/// Writes a vector, or with `columns` > 0 a matrix of that many columns. Throws DataError if it
/// cannot be written, Error if the values do not fill rows of that many columns.
template <class T>
void write_npy(const std::filesystem::path& file, std::span<const T> values,
               std::size_t columns = 0);
template <class T>
void write_npy(const std::filesystem::path& file, const std::vector<T>& values,
               std::size_t columns = 0) {
  write_npy(file, std::span<const T>(values), columns);
}

/// All elements, row by row. Throws DataError if the file is missing, is not .npy, has another
/// element type than T or is not as long as it says.
template <class T>
std::vector<T> read_npy(const std::filesystem::path& file);

}  // namespace ultr
