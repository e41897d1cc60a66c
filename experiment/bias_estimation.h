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

/// What one method says, relative to rank 1.
struct BiasEstimate {
  std::string method;
  Propensities propensities;  // by 0-based position, NaN: unknown; never all of them
  /// By position, 95%; empty if there are none. See estimate_bias.
  std::vector<std::optional<ConfidenceInterval>> intervals;
};

struct BiasEstimation {
  std::vector<BiasEstimate> estimates;
  std::vector<std::string> notes;  // what is not known and why, a line each, to tell the user
};

/// Called with what is being done, and how many of its units ("sessions", "resamples") are done.
using BiasProgress = std::function<void(std::string_view work, std::string_view unit,
                                        std::uint64_t done, std::uint64_t all)>;

/// Estimates position bias from the training sessions. Methods that know nothing are left out, with
/// a note. Intervals are those of the percentile bootstrap over sessions, for all methods but
/// regression_em, at ranks that are above 0 and that 95% of the resamples know. Nothing depends on
/// `threads`. Throws ConfigError for an unknown method or a pivot that the sessions do not show,
/// DataError if no method knows anything.
BiasEstimation estimate_bias(const Dataset& dataset, const BiasEstimationOptions& options,
                             const BiasProgress& progress);

/// Mean examination by position of the users who made simulated training sessions, relative to the
/// first; empty where data are not simulated, or users know no such number.
Propensities true_position_bias(const ExperimentData& data, int threads);

/// Throws ConfigError if one of the names is no method's.
void check_bias_methods(const std::vector<std::string>& names);

}  // namespace ultr
