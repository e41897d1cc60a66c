#pragma once

#include "autograd/tape/tape.h"
#include "autograd/tape/tensor.h"

/// Ops that read rows: of parameters that live outside the tape, and of tensors on it.
namespace ultr {

/// Reads rows of a parameter outside the tape: a vector if it has one column, else a matrix. The
/// gradient is sparse: Tape::sparse_gradients has an entry for every row that was read. If
/// Tape::require found that no output needs some elements, their rows are not read and the result
/// is 0 there. The view must outlive the program. Every index must be below the view's number of
/// rows, which is not checked. Throws ShapeError if `rows` is on another tape.
Tensor gather(Tape& tape, const ParameterView& parameter, Index rows);

/// Reads rows of a matrix outside the tape that is not learned, such as the features of documents:
/// [n, columns], without gradient. As with gather, rows that no output needs are not read, and the
/// view must outlive the program.
Tensor gather_fixed(Tape& tape, const ParameterView& matrix, Index rows);

/// Returns rows of the identity matrix: [n, columns], 1 at (i, rows[i]) and 0 elsewhere. Every
/// entry of the index must be below `columns`, which is not checked. No gradient.
Tensor one_hot(Index rows, std::int64_t columns);

/// Reads a whole parameter from outside the tape: a scalar if it has one element, a vector if it
/// has one column, else a matrix. The gradient is dense: Tape::dense_gradients. The view must
/// outlive the program.
Tensor read(Tape& tape, const ParameterView& parameter);

/// Reads a whole parameter as read() does, but always as a matrix.
Tensor read_matrix(Tape& tape, const ParameterView& parameter);

/// Returns table[rows[i]] for all i: elements of a vector (or of a scalar: element 0) on the tape,
/// with a dense gradient. Where the index is bound with runs, each run costs one broadcast forward
/// and one sum backward. Throws ShapeError if the table is a matrix.
Tensor take(Tensor table, Index rows);

}  // namespace ultr
