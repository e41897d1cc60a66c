#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/propensities.h"
#include "data/log/dataset.h"
#include "experiment/data_options.h"
#include "experiment/experiment_options.h"
#include "metrics/significance.h"

namespace ultr {

struct BiasEstimationOptions {
  std::vector<std::string> methods{};  // of propensity_estimators(); empty: all
  std::size_t pivot = 1;               // rank, from 1
  std::size_t resamples = 200;         // of the sessions, for intervals; 0: none
  std::int64_t most_passes = 1000;     // of regression_em
  std::uint64_t seed = 1;
  int threads = 1;
};

/// The estimate of one method, relative to rank 1.
struct BiasEstimate {
  std::string method;
  Propensities propensities;  // by 0-based position, NaN: unknown; never all of them
  /// 95% confidence intervals by position; empty if there are none. See estimate_bias.
  std::vector<std::optional<ConfidenceInterval>> intervals;
};

struct BiasEstimation {
  std::vector<BiasEstimate> estimates;
  std::vector<std::string> notes;  // what is not known and why, a line each, to tell the user
};

/// Called with the work in progress and the number of its units ("passes", "resamples") done.
using BiasProgress = std::function<void(std::string_view work, std::string_view unit,
                                        std::uint64_t done, std::uint64_t all)>;

/// Estimates position bias from the training sessions. A method without an estimate is left out,
/// with a note. All methods but regression_em have intervals, by the percentile bootstrap over
/// sessions, at ranks whose estimate is above 0 and known in 95% of the resamples. The result does
/// not depend on `threads`. Throws ConfigError for an unknown method or a pivot that the sessions
/// do not show, DataError if no method has an estimate.
BiasEstimation estimate_bias(const Dataset& dataset, const BiasEstimationOptions& options,
                             const BiasProgress& progress);

/// Estimates propensities from the training sessions with the estimator that the options of the
/// loss choose. Returns nothing if they choose none. Warns of ranks without an estimate. Throws
/// ConfigError if the estimator cannot learn from the targets that the sessions have in place of
/// clicks, DataError if it has no estimate at all.
Propensities estimate_propensities(const ExperimentOptions& options, const Dataset& dataset);

/// Returns the mean examination by position, relative to the first, of the users who simulated the
/// training sessions. Empty if no such users did or they define no such number.
Propensities true_position_bias(const ExperimentData& data, int threads);

/// Throws ConfigError if one of the names is not that of a method.
void check_bias_methods(const std::vector<std::string>& names);

}  // namespace ultr
