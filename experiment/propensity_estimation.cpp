#include "experiment/propensity_estimation.h"

#include <fmt/core.h>

#include "base/log.h"
#include "base/progress_bar.h"
#include "experiment/bias_estimation.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

/// Throws ConfigError if the estimator cannot learn from the targets of the sessions.
void expect_clicks(const std::string& estimator, const SessionLog& train) {
  if (!train.has_targets()) return;
  if (estimator == regression_em_name)
    throw ConfigError(
        "loss.estimator: 'regression_em' needs clicks, session by session, and the training data "
        "have labels or click rates; expected another estimator, or clicks");
  if (const auto target = train.target_above_one())
    throw ConfigError(fmt::format(
        "loss.estimator: '{}' needs clicks or their rates, and the training data have a "
        "target of {}; expected at most 1",
        estimator, *target));
}

}  // namespace

Propensities estimate_propensities(const ExperimentOptions& options, const Dataset& dataset) {
  const std::string estimator = options.trained().propensity_estimator();
  if (estimator.empty()) return {};
  expect_clicks(estimator, dataset.train);
  ProgressBars bars;
  const BiasEstimation estimation =
      estimate_bias(dataset,
                    {.methods = {estimator},
                     .resamples = 0,
                     .seed = static_cast<std::uint64_t>(options.seed),
                     .threads = count_threads(options)},
                    [&](std::string_view work, std::string_view unit, std::uint64_t done,
                        std::uint64_t all) { bars(work, unit, done, all); });
  for (const std::string& note : estimation.notes) log().warn("{}", note);
  return estimation.estimates.front().propensities;
}

}  // namespace ultr
