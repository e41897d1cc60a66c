#pragma once

#include <span>

#include "autograd/tape/tensor.h"

/// Slices of vectors and matrices, and concatenation. Slices are views: nothing is copied, and
/// their gradients are added in place to the gradient of the whole.
namespace ultr {

/// Returns the rows of `range` of a vector or matrix. Throws ShapeError if the range is not inside
/// it: when recorded if all sizes are fixed, else when the program runs.
Tensor slice(Tensor x, const Range& range);
Mask slice(Mask mask, const Range& range);
Index slice(Index index, const Range& range);

/// Concatenates vectors whose run-time lengths sum to `rows`. Throws ShapeError if there are no
/// pieces or one is not a vector and, when it runs, if the lengths do not sum to `rows`.
Tensor concat(std::span<const Tensor> pieces, Extent rows);

/// Puts the rows of two matrices side by side: [n, p], [n, q] -> [n, p + q]. Throws ShapeError if
/// they do not fit.
Tensor concat_columns(Tensor a, Tensor b);

/// Repeats a scalar: [] -> [rows]. Throws ShapeError if it has more than one element.
Tensor repeat(Tensor scalar, Extent rows);

}  // namespace ultr
