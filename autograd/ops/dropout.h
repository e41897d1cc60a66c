#pragma once

#include "autograd/tape/tensor.h"

namespace ultr {

/// Inverted dropout (Srivastava et al., 2014): each element becomes 0 with probability `rate`, else
/// x / (1 - rate), which preserves the mean.   d/dx = 0 or 1 / (1 - rate).
///
/// The kept elements depend only on the key, the salt and the element's number (Philox4x32-10, as
/// in RandomStream), so any number of threads drops the same ones. The key is four words, bound
/// before each run: the seed (lower half first), the step, and the number of the shard in the step.
/// The salt (below 2^27) tells the dropouts of a program apart.
///
/// The rate, 0 <= rate < 1, is rounded to a multiple of 2^-16 below 1. Throws ShapeError if the key
/// does not have four entries; Error if the rate is out of range.
Tensor dropout(Tensor x, double rate, Index key, std::uint32_t salt);

/// Number of words in a key.
inline constexpr std::int64_t dropout_key_words = 4;

}  // namespace ultr
