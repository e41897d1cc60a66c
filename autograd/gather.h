#pragma once

#include "autograd/tape.h"
#include "autograd/tensor.h"

/// Reading rows: of parameters that live outside the tape, and of tensors on it.
namespace ultr {

/// Rows of a parameter outside the tape: a vector if it has one column, else a matrix. The gradient
/// is sparse: Tape::sparse_gradients has an entry for every row that was read. If Tape::require
/// found that some outputs are never looked at, those rows are not read and the result is 0 there.
/// The view must outlive the program; its rows must exceed every index.
Tensor gather(Tape& tape, const ParameterView& parameter, Index rows);

/// Rows of a matrix outside the tape that is not learned, such as the features of documents:
/// [n, columns], without gradient. As with gather, rows that no output needs are not read, and the
/// view must outlive the program.
Tensor gather_fixed(Tape& tape, const ParameterView& matrix, Index rows);

/// Rows of the identity matrix: [n, columns], 1 at (i, rows[i]) and 0 elsewhere. Entries of the
/// index must be below `columns`.
Tensor one_hot(Index rows, std::int64_t columns);

/// A whole parameter from outside the tape: a vector if it has one column (a scalar if also one
/// row), else a matrix. The gradient is dense: Tape::dense_gradients.
Tensor read(Tape& tape, const ParameterView& parameter);

/// The same, always as a matrix.
Tensor read_matrix(Tape& tape, const ParameterView& parameter);

/// Elements of a vector (or scalar: element 0) on the tape, table[rows[i]], with a dense gradient.
/// Where the index is bound with runs, each run is one broadcast and one sum.
Tensor take(Tensor table, Index rows);

}  // namespace ultr
