#pragma once

#include "autograd/tape/tensor.h"

namespace ultr {

/// Self-attention with several heads (Vaswani et al., 2017) within sequences that are packed one
/// after the other: every row attends to all rows of its sequence. Head h has the columns
/// [h d, (h + 1) d) of each matrix, d = columns / heads:
///
///     A = softmax(Q_h K_hᵀ / √d),   y_h = A V_h
///
/// Three matrices [n, k] -> [n, k]. For the backward pass only the log-sum-exp of each row and head
/// is saved; attention weights are computed again, some rows at a time (Dao et al., 2022), so that
/// memory grows linearly with n. With G = ∂/∂y_h and D = rowsum(G y_h):
///
///     ∂/∂V_h = Aᵀ G,   S = A (G V_hᵀ - D) / √d,   ∂/∂Q_h = S K_h,   ∂/∂K_h = Sᵀ Q_h
///
/// Throws ShapeError if the matrices differ in shape, if the heads do not divide the columns or,
/// when it runs, if the bound offsets do not cover the rows.
Tensor attention(Tensor queries, Tensor keys, Tensor values, Segments sequences,
                 std::int64_t heads);

}  // namespace ultr
