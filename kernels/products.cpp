#include "kernels/products.h"

#include <algorithm>
#include <limits>
#include <utility>

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#include <fmt/core.h>

#include "base/error.h"
#include "kernels/openblas.h"

namespace ultr {
namespace {

/// Returns a number of rows or columns as OpenBLAS takes it. Throws Error if it is too large.
blasint blas_size(std::int64_t size) {
  if (!std::in_range<blasint>(size))
    throw Error(fmt::format("matmul: a matrix has {} rows or columns; expected at most {}", size,
                            std::numeric_limits<blasint>::max()));
  return static_cast<blasint>(size);
}

}  // namespace

void multiply(const Factor<float>& a, const Factor<float>& b, float* to, std::int64_t stride,
              bool add) {
  if (a.rows == 0 || b.columns == 0) return;
  if (a.columns == 0) {
    for (std::int64_t row = 0; row < a.rows && !add; ++row)
      std::fill_n(to + row * stride, b.columns, 0.0f);
    return;
  }
  openblas().multiply(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
                      b.transposed ? CblasTrans : CblasNoTrans, blas_size(a.rows),
                      blas_size(b.columns), blas_size(a.columns), 1, a.data, blas_size(a.stride),
                      b.data, blas_size(b.stride), add ? 1 : 0, to, blas_size(stride));
}

void multiply(const Factor<double>& a, const Factor<double>& b, double* to, std::int64_t stride,
              bool add) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::OuterStride<>;
  Eigen::Map<Matrix, 0, Stride> result(to, a.rows, b.columns, Stride(stride));
  if (!add) result.setZero();
  const auto map = [](const Factor<double>& factor) {
    using Map = Eigen::Map<const Matrix, 0, Stride>;
    return factor.transposed ? Map(factor.data, factor.columns, factor.rows, Stride(factor.stride))
                             : Map(factor.data, factor.rows, factor.columns, Stride(factor.stride));
  };
  if (a.transposed && b.transposed)
    result.noalias() += map(a).transpose() * map(b).transpose();
  else if (a.transposed)
    result.noalias() += map(a).transpose() * map(b);
  else if (b.transposed)
    result.noalias() += map(a) * map(b).transpose();
  else
    result.noalias() += map(a) * map(b);
}

}  // namespace ultr
