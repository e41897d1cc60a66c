#pragma once

#include <cstdint>

namespace ultr {

/// A factor of a matrix product: a row-major matrix or its transpose. Rows of the matrix start
/// `stride` numbers apart, so a factor may be some columns of a wider matrix.
template <class T>
struct Factor {
  const T* data;
  std::int64_t rows, columns;  // of the factor, after transposition
  std::int64_t stride;
  bool transposed = false;

  Factor transpose() const { return {data, columns, rows, stride, !transposed}; }
};

/// Writes a b to `to`, or adds it if `add`. Rows of the result start `stride` numbers apart. Runs
/// on the calling thread alone, in one order of summation: float32 by OpenBLAS, float64 by Eigen.
/// Throws Error if a size does not fit OpenBLAS's integers.
void multiply(const Factor<float>& a, const Factor<float>& b, float* to, std::int64_t stride,
              bool add);
void multiply(const Factor<double>& a, const Factor<double>& b, double* to, std::int64_t stride,
              bool add);

}  // namespace ultr
