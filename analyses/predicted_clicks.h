#pragma once

#include <string>
#include <vector>

#include "analyses/document_sample.h"
#include "data/log/pair_position_counts.h"
#include "experiment/data_options.h"
#include "metrics/residual_correlation.h"
#include "runs/saved_model.h"

namespace ultr {

/// P(click) of every document of a sample, in its order, and a description of the model that
/// predicts it.
struct PredictedClicks {
  std::string model{};
  std::vector<double> clicks{};      // NaN if unknown
  std::vector<std::string> notes{};  // for the user, one line each
};

/// Predicts clicks by a trained run. Throws ConfigError if it predicts no clicks, or was trained on
/// features that the data do not have or scale differently; DataError if it depends on
/// query-document pairs and knows none of them.
PredictedClicks clicks_by_run(const SavedModel& saved, const ExperimentData& data,
                              const DocumentSample& sample, int threads);

/// Predicts clicks by an additive model with one parameter per query-document pair
/// (fit_additive_clicks), fitted to all training sessions, of which `train` are the counts. A note
/// says if the fit has not settled.
PredictedClicks clicks_by_pairs(const Dataset& dataset, const PairPositionCounts& train,
                                const DocumentSample& sample, int threads);

/// Predicts clicks by additive two-tower models, one per fold of 5 folds of sessions. Each model
/// predicts the clicks of its fold, is trained on three others and stopped early by the last one.
/// Folds consist of sessions, not queries, since the question is what the form of the model misses,
/// not how it generalises to other documents. The relevance tower (two layers of 32 neurons, ELU,
/// as in Hager, 2025, chapter 4) reads the sample's features, scaled by sign(x) ln(1 + |x|) and
/// standardised. The sample must have features. Predictions are NaN for a fold if it, its training
/// folds or its stopping fold have no sessions. The result does not depend on `threads`.
PredictedClicks clicks_by_tower(const Dataset& dataset, const DocumentSample& sample,
                                std::uint64_t seed, int threads);

/// Returns, for every document of the sample, minus the mean rank at which the training sessions
/// show its query-document pair in other impressions; NaN if there are none.
std::vector<double> mean_rank_scores(const Dataset& dataset, const DocumentSample& sample);

/// Returns the residuals, click minus prediction, of those documents of the sample whose prediction
/// is known. `policy_scores` has one entry per document of the sample, or is empty.
std::vector<ClickResidual> click_residuals(const Dataset& dataset, const DocumentSample& sample,
                                           const PredictedClicks& predicted,
                                           const std::vector<double>& policy_scores);

}  // namespace ultr
