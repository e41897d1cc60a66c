#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/column.h"
#include "base/file.h"

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

/// A vector, or a matrix row by row, that is written piece by piece, all of it or nothing
/// (NewFile). What was written can be read back and changed before it is finished.
template <class T>
class NpyStream {
 public:
  /// `length`: how many values, or rows, it is to hold; without, as many as are appended. A matrix
  /// if `columns` > 0. Throws DataError if it cannot be written.
  explicit NpyStream(const std::filesystem::path& file, std::optional<std::size_t> length = {},
                     std::size_t columns = 0);

  /// Values that were appended.
  std::size_t size() const { return written_ + buffered_; }
  /// Throws DataError if the system refuses.
  void append(std::span<const T> values) {
    if (values.size() > capacity - buffered_) return append_many(values);
    std::copy(values.begin(), values.end(),
              buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_));
    buffered_ += values.size();
  }
  void push_back(T value) { append(std::span<const T>(&value, 1)); }

  /// Reads back the values from number `first` on, all of which were appended; changes them. Throw
  /// DataError if the system refuses.
  void read(std::size_t first, std::span<T> into);
  void overwrite(std::size_t first, std::span<const T> values);

  /// The file is there from now on. Throws Error if it is not as long as it was to be, DataError if
  /// not all of it could be written.
  void finish();

 private:
  static constexpr std::size_t capacity = (std::size_t{1} << 16) / sizeof(T);  // of the buffer

  void append_many(std::span<const T> values);
  void flush();

  NewFile file_;
  std::optional<std::size_t> length_;  // values it is to hold
  std::size_t columns_;
  std::size_t written_ = 0;  // values in the file
  std::vector<T> buffer_ = std::vector<T>(capacity);
  std::size_t buffered_ = 0;  // values that come behind
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

/// The same of a vector, which is empty if there is no such file. Throws DataError for a matrix.
template <class T>
Column<T> map_npy_column(const std::filesystem::path& file);

}  // namespace ultr
