#pragma once

#include "autograd/tape/tensor.h"

namespace ultr {

/// The rows that attend: a query per row of the sequences, or one per sequence.
enum class Queries : std::uint8_t { of_rows, of_sequences };

/// Attention with several heads (Vaswani et al., 2017) within sequences that are packed one after
/// the other: every query attends to all rows of its sequence. Head h has the columns
/// [h d, (h + 1) d) of each matrix, d = columns / heads:
///
///     A = softmax(Q_h K_hᵀ / √d),   y_h = A V_h
///
/// Keys and values are [n, k]; queries and result are [n, k], or with Queries::of_sequences
/// [sequences, k], where the result of a sequence without rows is 0. For the backward pass only the
/// log-sum-exp of each row and head is saved; attention weights are computed again, some rows at a
/// time (Dao et al., 2022), so that memory grows linearly with n. With G = ∂/∂y_h and D = rowsum(G
/// y_h):
///
///     ∂/∂V_h = Aᵀ G,   S = A (G V_hᵀ - D) / √d,   ∂/∂Q_h = S K_h,   ∂/∂K_h = Sᵀ Q_h
///
/// Throws ShapeError if the matrices do not have these shapes, if the heads do not divide the
/// columns or, when it runs, if the bound offsets do not cover the rows.
Tensor attention(Tensor queries, Tensor keys, Tensor values, Segments sequences, std::int64_t heads,
                 Queries which = Queries::of_rows);

}  // namespace ultr
