#pragma once

#include <span>
#include <string>

#include <pybind11/numpy.h>

#include "autograd/tape/shape.h"
#include "base/error.h"

namespace ultr::python {

/// An array of any type of number, as float64.
using Numbers = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

/// Returns the shape of a tensor with these values. Throws ShapeError if it has over 2 dimensions.
inline Shape shape_of(const Numbers& values) {
  if (values.ndim() == 0) return Shape::scalar();
  if (values.ndim() == 1) return Shape::vector(values.shape(0));
  if (values.ndim() == 2) return Shape::matrix(values.shape(0), values.shape(1));
  throw ShapeError("an array has " + std::to_string(values.ndim()) +
                   " dimensions; expected at most 2");
}

inline std::span<const double> span_of(const Numbers& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

}  // namespace ultr::python
