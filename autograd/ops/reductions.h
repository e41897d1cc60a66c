#pragma once

#include "autograd/tape/tensor.h"

/// Sums, extremes and running sums. Every sum has a fixed order of addition.
///
/// `axis` is the axis that is reduced: `all` gives a scalar; `columns` reduces along each row of a
/// matrix, [n, m] -> [n]; `rows` reduces down each column, [n, m] -> [m]. Vectors accept only
/// `all`; anything else throws ShapeError.
namespace ultr {

/// Σ x; 0 if there are no elements.   d/dx = 1.
Tensor sum(Tensor x, Axis axis = Axis::all);
/// Σ x / n; NaN if there are no elements.   d/dx = 1/n.
Tensor mean(Tensor x, Axis axis = Axis::all);
/// The largest element; -inf if there are none. The gradient goes to the first of equals.
Tensor max(Tensor x, Axis axis = Axis::all);
/// log Σ e^x = m + log1p(Σ of the others' e^(x-m)), m being the largest.   d/dx = softmax(x).
/// -inf, with gradient 0, if there are no elements or all are -inf.   axis: all or columns.
Tensor logsumexp(Tensor x, Axis axis = Axis::all);
/// x - logsumexp(x) of a vector, or of each row of a matrix.
/// Jacobian δ_ij - softmax_j; an element that is -inf has gradient 0.
Tensor log_softmax(Tensor x);

enum class Direction : std::uint8_t { forward, backward };
enum class Including : std::uint8_t { self, only_others };

/// Running sums of a vector, or along each row of a matrix. Direction::backward sums from the end.
/// With Including::only_others, element i is the sum of the elements strictly before (after) it.
Tensor cumulative_sum(Tensor x, Direction direction = Direction::forward,
                      Including including = Including::self);

}  // namespace ultr
