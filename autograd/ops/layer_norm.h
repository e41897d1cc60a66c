#pragma once

#include "autograd/tape/tensor.h"

namespace ultr {

/// Layer normalisation (Ba et al., 2016) of each row of a matrix:
///
///     y = scale (x - m) / √(v + epsilon) + shift
///
/// m and v are the mean and the variance (divided by their number) of the row's elements.
/// [n, k], [k], [k] -> [n, k]. With z = (x - m) r and r = 1 / √(v + epsilon):
/// d/dx = r (h - mean h - z mean(h z)), h = g scale; d/dscale = Σ rows of g z; d/dshift = Σ rows of
/// g. m and r are saved for the backward pass. Requires epsilon > 0. Throws ShapeError if the
/// shapes do not fit.
Tensor layer_norm(Tensor x, Tensor scale, Tensor shift, double epsilon);

}  // namespace ultr
