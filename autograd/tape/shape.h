#pragma once

#include <cstdint>
#include <string>

namespace ultr {

/// A number of rows: fixed when the program is recorded, or bound before each run, up to a
/// capacity.
///
/// Two run-time extents are equal only if they are the same extent, so shapes can be checked while
/// a program is recorded, before any size is known.
class Extent {
 public:
  constexpr Extent(std::int64_t size) : capacity_(size) {}  // NOLINT: a number is an extent
  constexpr Extent(std::int32_t slot, std::int64_t capacity) : capacity_(capacity), slot_(slot) {}

  constexpr bool fixed() const { return slot_ < 0; }
  /// The size if fixed, else the largest size that may be bound.
  constexpr std::int64_t capacity() const { return capacity_; }
  /// The slot of the run-time size on the tape. Only for extents that are not fixed.
  constexpr std::int32_t slot() const { return slot_; }

  friend constexpr bool operator==(Extent, Extent) = default;

 private:
  std::int64_t capacity_;
  std::int32_t slot_ = -1;
};

/// A scalar [], a vector [rows] or a matrix [rows, columns] (row-major).
struct Shape {
  int rank = 0;
  Extent rows = 1;
  std::int64_t columns = 1;

  static Shape scalar() { return {}; }
  static Shape vector(Extent rows) { return {1, rows, 1}; }
  static Shape matrix(Extent rows, std::int64_t columns) { return {2, rows, columns}; }

  /// The number of elements at full capacity.
  std::int64_t capacity() const { return rows.capacity() * columns; }
  /// True if the shape has exactly one element at any run-time size.
  bool single() const { return rows == Extent(1) && columns == 1; }

  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Formats a shape: "[]", "[32]", "[32, 8]". An extent bound at run time shows its capacity:
/// "[<=2560]".
std::string to_string(const Shape& shape);

/// The axis along which a shape is reduced (see reductions.h).
enum class Axis : std::uint8_t { all, rows, columns };

/// The way in which an operand of an elementwise op is repeated to the shape of the result.
enum class Broadcast : std::uint8_t {
  none,    // same shape
  scalar,  // one element for all
  row,     // [columns] or [1, columns], the same for every row
  column,  // [rows, 1], the same for every column
};

/// Returns the shape of an elementwise result (NumPy's rules for rank <= 2). Throws ShapeError,
/// naming `op` and both shapes, if they do not fit.
Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b);

/// Returns the way in which `from` is repeated to `to`, which must come from broadcast_shapes.
Broadcast broadcast_kind(const Shape& from, const Shape& to);

}  // namespace ultr
