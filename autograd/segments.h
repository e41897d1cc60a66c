#pragma once

#include "autograd/tensor.h"

/// Ops on consecutive segments of a vector (the lists of a batch), without padding.
namespace ultr {

/// Segments whose offsets are bound before each run; there may be empty ones.
/// offsets[0] = 0 and offsets[count] is the length of the vectors they apply to. Throws ShapeError
/// if the capacity of `offsets` is not that of `count` + 1; the ops do if the offsets that are
/// bound do not cover their vector.
Segments make_segments(Tape& tape, Extent offsets, Extent count);

/// Σ of each segment: [n] -> [count].
Tensor segment_sum(Tensor x, Segments segments);
/// logsumexp of each segment: [n] -> [count]; -inf for an empty one.
Tensor segment_logsumexp(Tensor x, Segments segments);
/// log_softmax within each segment: [n] -> [n].
Tensor segment_log_softmax(Tensor x, Segments segments);
/// Each element's share of its segment's sum, x_i / Σ x; 0 where that sum is 0. x >= 0: [n] -> [n].
/// d share_i / d x_j = (δ_ij - share_i) / Σ x, and 0 where the sum is 0.
Tensor segment_shares(Tensor x, Segments segments);
/// 1-based rank of each element within its segment, largest first, ties in input order, NaN last:
/// [n] -> [n]. No gradient.
Tensor segment_ranks(Tensor x, Segments segments);

}  // namespace ultr
