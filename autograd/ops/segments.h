#pragma once

#include "autograd/tape/tensor.h"

/// Ops on consecutive segments of a vector (the lists of a batch), without padding. They throw
/// ShapeError if x is not a vector or, when they run, if the bound offsets do not cover it.
namespace ultr {

/// Records segments whose offsets are bound before each run. Segments may be empty. offsets[0] must
/// be 0, and offsets[count] the length of the vectors to which the segments apply. Throws
/// ShapeError if the capacity of `offsets` is not that of `count` plus 1.
Segments make_segments(Tape& tape, Extent offsets, Extent count);

/// Σ x of each segment: [n] -> [count]; 0 for an empty one.
Tensor segment_sum(Tensor x, Segments segments);
/// logsumexp of each segment: [n] -> [count]; -inf for an empty one.
Tensor segment_logsumexp(Tensor x, Segments segments);
/// log_softmax within each segment: [n] -> [n].
Tensor segment_log_softmax(Tensor x, Segments segments);
/// Each element's share of its segment's sum: x_i / Σ x, or 0 where that sum is 0. Requires x >= 0.
/// [n] -> [n].
/// d share_i / d x_j = (δ_ij - share_i) / Σ x, or 0 where the sum is 0.
Tensor segment_shares(Tensor x, Segments segments);
/// 1-based rank of each element within its segment, largest first, ties in input order, NaN last:
/// [n] -> [n]. No gradient.
Tensor segment_ranks(Tensor x, Segments segments);

}  // namespace ultr
