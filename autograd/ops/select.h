#pragma once

#include "autograd/tape/tensor.h"

/// Ops that choose between values. A value that is not chosen may be anything, -inf and NaN
/// included, and gets gradient 0: select, never multiply by a mask. An earlier op that multiplies
/// this 0 by an infinite derivative (an exp that overflows, x * inf) still yields NaN; a division
/// does not.
namespace ultr {

/// Selects `condition ? yes : no` row by row. yes, no: vectors as long as the mask, or scalars.
/// Throws ShapeError if they do not fit.
Tensor where(Mask condition, Tensor yes, Tensor no);
Tensor where(Mask condition, Tensor yes, double no);
Tensor where(Mask condition, double yes, Tensor no);

/// Returns the mask a > b. a, b: vectors of the same length; no gradient. Throws ShapeError if they
/// do not fit.
Mask greater(Tensor a, Tensor b);
/// Returns the mask x == -inf. x: a vector; no gradient. Throws ShapeError if it is not one.
Mask is_negative_infinity(Tensor x);

}  // namespace ultr
