#pragma once

#include "autograd/tensor.h"

/// Choosing between values. A value that is not chosen may be anything, -inf and NaN included, and
/// gets gradient 0: select, never multiply by a mask. An op before it that multiplies this 0 by an
/// infinite derivative (exp where it overflows, x * inf) still makes NaN of it; a division does
/// not.
namespace ultr {

/// Row by row `condition ? yes : no`. yes and no: vectors as long as the mask, or scalars.
Tensor where(Mask condition, Tensor yes, Tensor no);
Tensor where(Mask condition, Tensor yes, double no);
Tensor where(Mask condition, double yes, Tensor no);

/// Where a > b. Vectors of one length; no gradient.
Mask greater(Tensor a, Tensor b);
/// Where log_p is -inf. A vector; no gradient.
Mask impossible(Tensor log_p);

}  // namespace ultr
