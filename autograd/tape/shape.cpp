#include "autograd/tape/shape.h"

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

std::string to_string(Extent extent) {
  return fmt::format("{}{}", extent.fixed() ? "" : "<=", extent.capacity());
}

/// Returns a shape as a matrix. Vectors of fixed length become one row, as NumPy aligns them.
Shape as_matrix(const Shape& shape) {
  if (shape.rank == 1 && shape.rows.fixed()) return Shape::matrix(1, shape.rows.capacity());
  return shape;
}

}  // namespace

std::string to_string(const Shape& shape) {
  switch (shape.rank) {
    case 0:
      return "[]";
    case 1:
      return fmt::format("[{}]", to_string(shape.rows));
    default:
      return fmt::format("[{}, {}]", to_string(shape.rows), shape.columns);
  }
}

Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b) {
  if (a == b) return a;
  if (b.single() && b.rank <= a.rank) return a;
  if (a.single() && a.rank <= b.rank) return b;
  if (a.rank == 2 || b.rank == 2) {
    const Shape x = as_matrix(a), y = as_matrix(b);
    const bool rows_fit = x.rows == y.rows || x.rows == Extent(1) || y.rows == Extent(1);
    const bool columns_fit = x.columns == y.columns || x.columns == 1 || y.columns == 1;
    if (x.rank == 2 && y.rank == 2 && rows_fit && columns_fit)
      return Shape::matrix(x.rows == Extent(1) ? y.rows : x.rows,
                           x.columns == 1 ? y.columns : x.columns);
  }
  throw ShapeError(
      fmt::format("{}: a is {}, b is {}; expected equal shapes, or one that repeats "
                  "along the other's rows or columns",
                  op, to_string(a), to_string(b)));
}

Broadcast broadcast_kind(const Shape& from, const Shape& to) {
  if (from == to) return Broadcast::none;
  if (from.single()) return Broadcast::scalar;
  const Shape x = as_matrix(from);
  if (x.rows == to.rows && x.columns == to.columns) return Broadcast::none;
  return x.rows == Extent(1) ? Broadcast::row : Broadcast::column;
}

}  // namespace ultr
