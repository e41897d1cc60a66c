#include "experiment/bias_estimation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "metrics/bias/position_bias.h"
#include "metrics/bias/regression_em.h"
#include "metrics/bootstrap.h"
#include "training/evaluation.h"

namespace ultr {
namespace {

/// Returns the ranks whose propensity satisfies `is`: "rank 3" or "ranks 2, 7 to 10"; empty if
/// none.
template <class Predicate>
std::string ranks_where(const Propensities& propensities, Predicate is) {
  std::vector<std::string> ranges;
  std::size_t count = 0;
  for (std::size_t k = 0; k < propensities.size();) {
    std::size_t end = k;
    while (end < propensities.size() && is(propensities[end])) ++end;
    if (end > k)
      ranges.push_back(end == k + 1 ? fmt::format("{}", k + 1)
                                    : fmt::format("{} to {}", k + 1, end));
    count += end - k;
    k = std::max(end, k + 1);
  }
  if (count == 0) return "";
  return fmt::format("{} {}", count == 1 ? "rank" : "ranks", fmt::join(ranges, ", "));
}

/// Estimates of one method on resamples of the sessions.
using Resampled = std::vector<Propensities>;

/// Returns the intervals of the positions whose estimate from the sessions themselves is above 0.
std::vector<std::optional<ConfidenceInterval>> intervals_of(const Resampled& resamples,
                                                            const Propensities& estimated) {
  constexpr double confidence = 0.95;
  std::vector<std::optional<ConfidenceInterval>> intervals(estimated.size());
  for (std::size_t k = 0; k < estimated.size(); ++k) {
    if (!(estimated[k] > 0)) continue;
    std::vector<double> values;
    for (const Propensities& estimate : resamples)
      if (!std::isnan(estimate[k])) values.push_back(estimate[k]);
    const auto enough = confidence * static_cast<double>(resamples.size());
    if (values.empty() || static_cast<double>(values.size()) < enough) continue;
    intervals[k] = percentile_interval(std::move(values), (1 - confidence) / 2);
  }
  return intervals;
}

class Estimation {
 public:
  Estimation(const Dataset& dataset, const BiasEstimationOptions& options,
             const BiasProgress& progress)
      : dataset_(dataset),
        options_(options),
        progress_(progress),
        interventions_(dataset.train),
        sums_(interventions_.sums()) {
    if (options.pivot < 1 || options.pivot > sums_.positions)
      throw ConfigError(fmt::format(
          "the pivot is rank {}; expected one from 1 to {}, which the training sessions show",
          options.pivot, sums_.positions));
  }

  BiasEstimation run() && {
    std::vector<const BiasMethod*> methods;
    for (const BiasMethod& method : bias_methods())
      if (chosen(method.name) && (!method.harvests || can_harvest(method.name)))
        methods.push_back(&method);
    for (const BiasMethod* method : methods)
      take(method->name, method->estimate(sums_, options_.pivot - 1));
    if (options_.resamples > 0) add_intervals(methods);
    if (chosen(regression_em_name) && can_harvest(regression_em_name)) run_regression_em();
    tell_what_cannot_be_harvested();
    if (result_.estimates.empty())
      throw DataError(fmt::format("nothing can be estimated: {}", fmt::join(result_.notes, "; ")));
    return std::move(result_);
  }

 private:
  bool chosen(std::string_view method) const {
    return options_.methods.empty() || std::find(options_.methods.begin(), options_.methods.end(),
                                                 method) != options_.methods.end();
  }
  bool can_harvest(std::string_view method) {
    if (!sums_.any()) nothing_to_harvest_.emplace_back(method);
    return sums_.any();
  }

  void tell_what_cannot_be_harvested() {
    if (nothing_to_harvest_.empty()) return;
    result_.notes.push_back(fmt::format(
        "{}: no query-document pair is shown at several ranks in the training sessions, "
        "so that there is nothing to harvest",
        fmt::join(nothing_to_harvest_, ", ")));
  }

  /// Keeps the estimate of a method, if it has one, and notes the ranks that it leaves open.
  void take(std::string_view method, Propensities propensities) {
    const auto is_unknown = [](double p) { return std::isnan(p); };
    if (std::all_of(propensities.begin(), propensities.end(), is_unknown)) {
      result_.notes.push_back(
          fmt::format("{}: no rank can be compared with rank 1, for want of clicks or of "
                      "query-document pairs shown at both",
                      method));
      return;
    }
    if (const std::string ranks = ranks_where(propensities, is_unknown); !ranks.empty())
      result_.notes.push_back(
          fmt::format("{}: unknown at {}, for want of clicks or of query-document pairs to compare",
                      method, ranks));
    if (const std::string ranks = ranks_where(propensities, [](double p) { return p == 0; });
        !ranks.empty())
      result_.notes.push_back(fmt::format(
          "{}: 0 at {}, for want of clicks; weights of 1/0 need a bound", method, ranks));
    result_.estimates.push_back(
        {.method = std::string(method), .propensities = std::move(propensities), .intervals = {}});
  }

  /// Estimates on all resamples, and keeps the results by number.
  void add_intervals(const std::vector<const BiasMethod*>& methods) {
    std::vector<Resampled> estimates(methods.size(), Resampled(options_.resamples));
    resample_sums(
        interventions_,
        {.resamples = options_.resamples, .seed = options_.seed, .threads = options_.threads},
        [&](std::size_t resample, const InterventionSums& sums) {
          for (std::size_t m = 0; m < methods.size(); ++m)
            estimates[m][resample] = methods[m]->estimate(sums, options_.pivot - 1);
        },
        [&](std::size_t done) {
          if (progress_) progress_("bootstrap", "resamples", done, options_.resamples);
        });
    for (BiasEstimate& estimate : result_.estimates)
      for (std::size_t m = 0; m < methods.size(); ++m)
        if (methods[m]->name == estimate.method)
          estimate.intervals = intervals_of(estimates[m], estimate.propensities);
  }

  void run_regression_em() {
    RegressionEm em = regression_em(
        dataset_.train, sums_, {.most_passes = options_.most_passes, .threads = options_.threads},
        [&](std::int64_t passes) {
          if (progress_)
            progress_(regression_em_name, "passes", static_cast<std::uint64_t>(passes),
                      static_cast<std::uint64_t>(options_.most_passes));
        });
    const auto documents = static_cast<double>(dataset_.train.documents());
    const double alone = 1 - static_cast<double>(interventions_.impressions()) / documents;
    if (alone > 0.5)
      result_.notes.push_back(fmt::format(
          "{}: {:.0f}% of the documents shown are of query-document pairs at one rank only, whose "
          "relevance alone can explain their clicks; that pulls examination to rank 1's",
          regression_em_name, 100 * alone));
    if (!em.settled)
      result_.notes.push_back(
          fmt::format("{}: still changing after {} passes; more may change its numbers",
                      regression_em_name, em.passes));
    take(regression_em_name, std::move(em.propensities));
  }

  const Dataset& dataset_;
  const BiasEstimationOptions& options_;
  const BiasProgress& progress_;
  Interventions interventions_;
  InterventionSums sums_;
  std::vector<std::string> nothing_to_harvest_;  // methods
  BiasEstimation result_;
};

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

Propensities true_position_bias(const ExperimentData& data, int threads) {
  Propensities truth;
  if (data.truth)
    truth =
        evaluate_clicks(*data.truth, data.dataset.train, LossMean::documents, threads).examination;
  else if (data.position_bias && !data.position_bias->additive)
    truth = data.position_bias->by_rank;
  if (truth.empty()) return {};
  const double first = truth.front();
  for (double& value : truth) value /= first;
  return truth;
}

void check_bias_methods(const std::vector<std::string>& names) {
  const std::vector<std::string>& known = propensity_estimators();
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw ConfigError(
          fmt::format("there is no method '{}'; expected one of {}", name, fmt::join(known, ", ")));
}

BiasEstimation estimate_bias(const Dataset& dataset, const BiasEstimationOptions& options,
                             const BiasProgress& progress) {
  check_bias_methods(options.methods);
  return Estimation(dataset, options, progress).run();
}

Propensities estimate_propensities(const ExperimentOptions& options, const Dataset& dataset) {
  const std::string estimator = options.trained().propensity_estimator();
  if (estimator.empty()) return {};
  expect_clicks(estimator, dataset.train);
  if (dataset.train.has_weights())
    throw ConfigError(fmt::format(
        "loss.estimator: '{}' counts sessions, and lists of the training data have weights; "
        "expected loss.propensities, a file that ultr-run estimate-bias has written",
        estimator));
  ProgressBars bars;
  const BiasEstimation estimation = estimate_bias(dataset,
                                                  {.methods = {estimator},
                                                   .resamples = 0,
                                                   .seed = static_cast<std::uint64_t>(options.seed),
                                                   .threads = count_threads(options)},
                                                  std::ref(bars));
  for (const std::string& note : estimation.notes) log().warn("{}", note);
  return estimation.estimates.front().propensities;
}

}  // namespace ultr
