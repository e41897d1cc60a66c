#pragma once

#include <cstddef>

#include "metrics/ranking_metrics.h"

namespace ultr {

/// Returns the mean of nDCG@k over all orders of the list, which is what random orders come to.
double random_ndcg(const RankedLabels& list, std::size_t k, Gain gain = Gain::exponential);

}  // namespace ultr
