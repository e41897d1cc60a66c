#pragma once

#include <span>

#include "autograd/tensor.h"

/// Pieces of vectors and matrices, and putting them together. Slices are views: nothing is copied,
/// and their gradients are added in place to the whole's.
namespace ultr {

/// The rows of `range`. x: vector or matrix; the range must lie inside it when the program runs.
Tensor slice(Tensor x, const Range& range);
Mask slice(Mask mask, const Range& range);
Index slice(Index index, const Range& range);

/// All pieces one after the other. pieces: vectors whose run-time lengths sum to `rows`.
Tensor concat(std::span<const Tensor> pieces, Extent rows);

/// The rows of two matrices side by side: [n, p], [n, q] -> [n, p + q].
Tensor concat_columns(Tensor a, Tensor b);

/// A scalar, repeated `rows` times.
Tensor repeat(Tensor scalar, Extent rows);

}  // namespace ultr
