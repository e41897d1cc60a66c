#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "data/column.h"
#include "data/file.h"

namespace ultr {

/// NumPy's .npy files (format 1.0, little-endian, C order), which `numpy.load` reads as they are.
/// Element types: float, double, int64, int32, uint64, uint32, uint16, uint8.

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

/// A vector of known length that is written piece by piece, all of it or nothing (NewFile).
template <class T>
class NpyStream {
 public:
  /// Throws DataError if it cannot be written.
  NpyStream(const std::filesystem::path& file, std::size_t length);
  /// Throws DataError if the system refuses.
  void append(std::span<const T> values);
  /// The file is there from now on. Throws Error if it is not as long as it was to be, DataError if
  /// not all of it could be written.
  void finish();

 private:
  NewFile file_;
  std::size_t left_;
};

/// All elements, row by row. Throws DataError if the file is missing, is not .npy, has another
/// element type than T or is not as long as it says.
template <class T>
std::vector<T> read_npy(const std::filesystem::path& file);

/// An array in a memory-mapped file.
template <class T>
struct MappedNpy {
  Column<T> values;                    // row by row
  std::optional<std::size_t> columns;  // of a matrix; a vector has none
};

/// Maps a file into memory: nothing is copied, and pages are read when they are needed. The file
/// may be replaced meanwhile, but must not be changed in place. Throws DataError as read_npy does.
template <class T>
MappedNpy<T> map_npy(const std::filesystem::path& file);

}  // namespace ultr
