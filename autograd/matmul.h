#pragma once

#include <string>

#include "autograd/tensor.h"

namespace ultr {

/// Matrix product a b: [n, k] x [k, m] -> [n, m].   d/da = g bᵀ, d/db = aᵀ g.
/// Runs on one thread: parallelism is over shards, so that sums have one order. In float32 by
/// oneDNN, whose kernels are made for the processor when they are first used. Throws ShapeError if
/// the inner sizes differ.
Tensor matmul(Tensor a, Tensor b);

/// x W + b, b added to every row: [n, k], [k, m], [m] -> [n, m].   d/db = Σ rows of g; others as
/// those of matmul. For m = 1 the bias may be a scalar.
Tensor affine(Tensor x, Tensor weights, Tensor bias);

/// Matrix-vector product a x: [n, k] x [k] -> [n]; for k = 1, x may be a scalar.   d/da = g xᵀ,
/// d/dx = aᵀ g. A row of a is needed only where the result's is. Throws ShapeError if the inner
/// sizes differ.
Tensor matvec(Tensor a, Tensor x);

/// What computes products in float32 here: "oneDNN 2.6.3 with AVX-512".
std::string matmul_kernel();

}  // namespace ultr
