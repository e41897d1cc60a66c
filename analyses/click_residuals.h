#pragma once

#include <vector>

#include "analyses/predicted_clicks.h"
#include "metrics/residual_correlation.h"

namespace ultr {

/// For every document of the sample minus the mean rank at which the training sessions show its
/// query-document pair in other impressions; NaN where there are none.
std::vector<double> mean_rank_scores(const Dataset& dataset, const DocumentSample& sample);

/// Residuals of the sample's documents whose prediction is known.
std::vector<ClickResidual> click_residuals(const Dataset& dataset, const DocumentSample& sample,
                                           const PredictedClicks& predicted,
                                           const std::vector<double>& policy_scores);

}  // namespace ultr
