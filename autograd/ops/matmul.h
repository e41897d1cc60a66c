#pragma once

#include <string>

#include "autograd/tape/tensor.h"

namespace ultr {

/// Matrix product a b: [n, k] x [k, m] -> [n, m].   d/da = g bᵀ, d/db = aᵀ g.
/// Runs on the calling thread alone: parallelism is over shards, so that sums have one order. In
/// float32, OpenBLAS computes it (kernels/openblas.h). Throws ShapeError unless both are matrices
/// with equal inner sizes.
Tensor matmul(Tensor a, Tensor b);

/// Product with a transpose a bᵀ: [n, k] x [m, k] -> [n, m].   d/da = g b, d/db = gᵀ a. Throws
/// ShapeError unless both are matrices with equally many columns and m is fixed.
Tensor matmul_transposed(Tensor a, Tensor b);

/// x W + b, with b added to every row: [n, k], [k, m], [m] -> [n, m].   d/db = Σ rows of g; the
/// others as for matmul. For m = 1 the bias may be a scalar. Throws ShapeError if the shapes do not
/// fit.
Tensor affine(Tensor x, Tensor weights, Tensor bias);

/// Matrix-vector product a x: [n, k] x [k] -> [n]; for k = 1, x may be a scalar.   d/da = g xᵀ,
/// d/dx = aᵀ g. A row of a is needed only where that element of the result is (Tape::require).
/// Throws ShapeError if the inner sizes differ.
Tensor matvec(Tensor a, Tensor x);

/// Returns the library and kernels that compute float32 products: "OpenBLAS 0.3.21 with SkylakeX
/// kernels". Names the kernels that fit the processor if they are others.
std::string matmul_kernel();

}  // namespace ultr
