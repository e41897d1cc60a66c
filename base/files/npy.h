#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files/column.h"
#include "base/files/file.h"

namespace ultr {

/// Files in NumPy's .npy format (1.0, little-endian, C order), readable by `numpy.load`.
/// Element types: float, double, int64, int32, int16, int8, uint64, uint32, uint16, uint8. Truth
/// values are read as uint8.

/// Writes a vector, or with `columns` > 0 a matrix of that many columns. Throws DataError if the
/// file cannot be written, Error if the number of values is not a multiple of `columns`.
template <class T>
void write_npy(const std::filesystem::path& file, std::span<const T> values,
               std::size_t columns = 0);
template <class T>
void write_npy(const std::filesystem::path& file, const std::vector<T>& values,
               std::size_t columns = 0) {
  write_npy(file, std::span<const T>(values), columns);
}

/// A .npy file written piece by piece: a vector, or a matrix row by row. The file appears under its
/// name only when it is finished (NewFile). Until then values can be read back and overwritten. All
/// functions throw DataError if the system refuses.
template <class T>
class NpyStream {
 public:
  /// `length`: the expected number of values, or of rows; by default any number. `columns`: columns
  /// of a matrix; 0 for a vector.
  explicit NpyStream(const std::filesystem::path& file, std::optional<std::size_t> length = {},
                     std::size_t columns = 0);

  /// Number of values appended so far.
  std::size_t size() const { return written_ + buffered_; }
  /// Appends values.
  void append(std::span<const T> values) {
    if (values.size() > capacity - buffered_) return append_many(values);
    std::copy(values.begin(), values.end(),
              buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_));
    buffered_ += values.size();
  }
  void push_back(T value) { append(std::span<const T>(&value, 1)); }

  /// Reads back appended values, from index `first` on.
  void read(std::size_t first, std::span<T> into);
  /// Overwrites appended values, from index `first` on.
  void overwrite(std::size_t first, std::span<const T> values);

  /// Gives the file its name. Throws Error if it does not have the expected length.
  void finish();

 private:
  static constexpr std::size_t capacity = (std::size_t{1} << 16) / sizeof(T);  // of the buffer

  void append_many(std::span<const T> values);
  void flush();

  NewFile file_;
  std::optional<std::size_t> length_;  // expected number of values
  std::size_t columns_;
  std::size_t written_ = 0;  // values in the file
  std::vector<T> buffer_ = std::vector<T>(capacity);
  std::size_t buffered_ = 0;  // values in the buffer, not yet in the file
};

/// Returns NumPy's name of the type of a file's elements, such as "<f4"; empty if the file has no
/// header that map_npy reads.
std::string npy_type(const std::filesystem::path& file);

/// Reads all elements, row by row. Throws DataError if the file is missing or not a .npy file, if
/// its element type is not T, or if its size contradicts its header.
template <class T>
std::vector<T> read_npy(const std::filesystem::path& file);

/// A memory-mapped array.
template <class T>
struct MappedNpy {
  Column<T> values;                    // row by row
  std::optional<std::size_t> columns;  // of a matrix; nothing for a vector
};

/// Maps a file into memory: nothing is copied, and pages are read on first access. While it is
/// mapped, the file may be replaced but must not be changed in place. Throws DataError as read_npy
/// does.
template <class T>
MappedNpy<T> map_npy(const std::filesystem::path& file);

/// Maps a vector; returns an empty column if there is no such file. Throws DataError as read_npy
/// does, and for a matrix.
template <class T>
Column<T> map_npy_column(const std::filesystem::path& file);

}  // namespace ultr
