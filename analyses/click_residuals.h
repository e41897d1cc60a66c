#pragma once

#include <vector>

#include "analyses/predicted_clicks.h"
#include "metrics/residual_correlation.h"

namespace ultr {

/// Returns, for every document of the sample, minus the mean rank at which the training sessions
/// show its query-document pair in other impressions; NaN if there are none.
std::vector<double> mean_rank_scores(const Dataset& dataset, const DocumentSample& sample);

/// Returns the residuals, click minus prediction, of those documents of the sample whose prediction
/// is known. `policy_scores` has one entry per document of the sample, or is empty.
std::vector<ClickResidual> click_residuals(const Dataset& dataset, const DocumentSample& sample,
                                           const PredictedClicks& predicted,
                                           const std::vector<double>& policy_scores);

}  // namespace ultr
