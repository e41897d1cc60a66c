#pragma once

#include <cstdint>
#include <vector>

#include "autograd/ops/segments.h"
#include "autograd/tape/tape.h"

/// Shorthands that put numbers on a tape.
namespace ultr::testing {

inline Shape vector_of(std::size_t size) { return Shape::vector(static_cast<std::int64_t>(size)); }

/// Returns a vector with a gradient.
inline Tensor variable(Tape& tape, const std::vector<double>& values) {
  return tape.variable(vector_of(values.size()), values);
}
/// Returns a matrix with a gradient.
inline Tensor variable(Tape& tape, std::int64_t rows, std::int64_t columns,
                       const std::vector<double>& values) {
  return tape.variable(Shape::matrix(rows, columns), values);
}
/// Returns a vector without a gradient.
inline Tensor constant(Tape& tape, const std::vector<double>& values) {
  return tape.constant(vector_of(values.size()), values);
}

/// Returns segments from each offset to the next.
inline Segments segments_on(Tape& tape, const std::vector<std::uint32_t>& offsets) {
  const auto count = static_cast<std::int64_t>(offsets.size()) - 1;
  const Segments segments = make_segments(tape, count + 1, count);
  tape.bind(segments.offsets, offsets);
  return segments;
}

}  // namespace ultr::testing
