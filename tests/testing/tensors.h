#pragma once

#include <vector>

#include "autograd/tape.h"

/// Short ways to put numbers on a tape.
namespace ultr::testing {

inline Shape vector_of(std::size_t size) { return Shape::vector(static_cast<std::int64_t>(size)); }

/// A vector with a gradient.
inline Tensor variable(Tape& tape, const std::vector<double>& values) {
  return tape.variable(vector_of(values.size()), values);
}
/// A matrix with a gradient.
inline Tensor variable(Tape& tape, std::int64_t rows, std::int64_t columns,
                       const std::vector<double>& values) {
  return tape.variable(Shape::matrix(rows, columns), values);
}
/// A vector without gradient.
inline Tensor constant(Tape& tape, const std::vector<double>& values) {
  return tape.constant(vector_of(values.size()), values);
}

}  // namespace ultr::testing
