#pragma once

#include "autograd/tensor.h"

/// Sums, extremes and running sums. Sums are always taken in the same order.
///
/// `axis` says what is reduced: `all` gives a scalar; `columns` reduces along each row of a matrix,
/// [n, m] -> [n]; `rows` down each column, [n, m] -> [m]. Only `all` applies to vectors.
namespace ultr {

enum class Axis : std::uint8_t { all, rows, columns };

/// Σ x.   0 if there is nothing to sum.
Tensor sum(Tensor x, Axis axis = Axis::all);
/// Σ x / n.   NaN if there is nothing.
Tensor mean(Tensor x, Axis axis = Axis::all);
/// The largest element; the gradient goes to the first of equals.   -inf if there is nothing.
Tensor max(Tensor x, Axis axis = Axis::all);
/// log Σ e^x = m + log1p(Σ of the others' e^(x-m)), m the largest.   Gradient: softmax(x).
/// -inf (gradient 0) if there is nothing or everything is -inf.   axis: all or columns.
Tensor logsumexp(Tensor x, Axis axis = Axis::all);
/// x - logsumexp(x), of a vector or along each row of a matrix.
/// Jacobian δ_ij - softmax_j; an element that is -inf has gradient 0.
Tensor log_softmax(Tensor x);

enum class Direction : std::uint8_t { forward, backward };
enum class Including : std::uint8_t { self, only_others };

/// Running sums of a vector, or along each row of a matrix. With Direction::backward from the end;
/// with Including::only_others element i is the sum of those strictly before (after) it.
Tensor cumulative_sum(Tensor x, Direction direction = Direction::forward,
                      Including including = Including::self);

}  // namespace ultr
