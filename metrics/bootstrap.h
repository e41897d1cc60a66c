#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "metrics/significance.h"

/// The bootstrap: resamples of the items of a sample, such as the sessions of a log, and intervals
/// of what is computed from each (Efron, 1979). Each resample takes a random stream of its own.
namespace ultr {

/// Draws n of n items with replacement and returns how often each was drawn, at most 255.
std::vector<std::uint8_t> draw_with_replacement(std::size_t items, RandomStream random);

/// Draws as many items as the weights sum to, rounded, with replacement and with probabilities
/// proportional to their weights, which are above 0. Returns how often each was drawn.
std::vector<double> draw_by_weight(std::span<const double> weights, RandomStream random);

/// Draws how often each item is in a resample: Poisson with mean 1, at most 20 (Hanley & MacGibbon,
/// 2006).
std::vector<double> draw_poisson(std::size_t items, RandomStream random);

/// Returns the interval that leaves a share `outside` of the values beyond each bound. There must
/// be at least one value.
ConfidenceInterval percentile_interval(std::vector<double> values, double outside = 0.025);

}  // namespace ultr
