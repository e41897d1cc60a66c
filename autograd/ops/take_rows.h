#pragma once

#include "autograd/tape/tensor.h"

/// Ops that read rows of a matrix on the tape, or one element of each row.
namespace ultr {

/// Returns the rows x[rows[i]] of a matrix: [n, k] -> [entries, k]. The gradient is dense: that of
/// a row is the sum over its readers. Every index must be below the number of rows, which is not
/// checked. Throws ShapeError if x is not a matrix.
Tensor take_rows(Tensor x, Index rows);

/// Returns the elements x[i, columns[i]], one per row: [n, k] -> [n]. Every index must be below k,
/// which is not checked. Throws ShapeError if x is not a matrix with one row per index.
Tensor take_along_rows(Tensor x, Index columns);

}  // namespace ultr
