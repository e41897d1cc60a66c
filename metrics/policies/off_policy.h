#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress_bar.h"
#include "data/log/session_log.h"
#include "metrics/significance.h"

namespace ultr {

/// Options for evaluating a policy on the log of another.
struct OffPolicyOptions {
  double clip = 0;            // upper limit of weights; 0: none
  double pseudo_count = 10;   // impressions at the group's click rate, added to each document's
  std::size_t resamples = 0;  // for 95% intervals; 0: none
  std::uint64_t seed = 1;
  /// The target's lists are the log's own, shown in another way: resamples draw both together.
  bool same_lists = false;
};

/// The clicks per list that an estimator expects of the target policy, with its 95% interval.
struct PolicyValue {
  std::string estimator;
  double value = 0;
  ConfidenceInterval interval{};  // NaN without resamples
};

/// The value of a target policy, estimated from the log of another policy.
struct OffPolicyEvaluation {
  /// In the order of off_policy_estimators; then `logged`, the clicks per list of the log itself,
  /// and `observed`, those of the target policy's own log.
  std::vector<PolicyValue> values;
  double largest_weight = 0;
  /// (Σ w)² / Σ w² over the log's documents: as many unweighted ones would be as informative.
  double effective_documents = 0;
  /// The share of the target's documents that the log never shows there. IPS counts them as never
  /// clicked, the others give them the click rate of what is known.
  double unsupported = 0;
};

/// Returns the names of the estimators: direct, ips, snips, doubly_robust.
const std::vector<std::string>& off_policy_estimators();

/// Estimates how many clicks per list a target policy would get from a log of another policy
/// (logging policy), as if documents were chosen for each position of a query by themselves
/// (item-position model; Li et al., KDD 2018). Of the target's own log only displays count, but for
/// `observed`.
///
/// For a query and a position, a group g: n_g and m_g are the documents in the log and in the
/// target's log, N the target's lists, π(d) = m_{g,d} / m_g the target's choice, p_i the propensity
/// of the log's choice (n_{g,d} / n_g if the log has none), w_i = π(d_i) / p_i, at most `clip`, and
/// q(d) = (clicks + a r) / (impressions + a) the click rate of d at g in the other half of the
/// log's lists, drawn to that of g, r, by `pseudo_count`, a.
///
///     direct          Σ_g m_g/N 1/n_g Σ_i Σ_d π(d) q(d)
///     ips             Σ_g m_g/N 1/n_g Σ_i w_i c_i                   Horvitz & Thompson, 1952
///     snips           Σ_g m_g/N Σ_i w_i c_i / Σ_i w_i               Swaminathan & Joachims, 2015
///     doubly_robust   direct + Σ_g m_g/N 1/n_g Σ_i w_i (c_i - q(d_i))   Dudík et al., 2011
///
/// Where the log has no document of a group, or for snips none that the target shows there,
/// estimators but ips use the click rate of the whole log. Intervals are those of a bootstrap of
/// the lists of both logs, by the percentile method. Pairs are told apart by their rows; row 0 of
/// the target is none that the log shows. Throws Error if one of the logs is empty, or they differ
/// in length though their lists are the same.
OffPolicyEvaluation evaluate_off_policy(const SessionLog& log, const SessionLog& target,
                                        const OffPolicyOptions& options,
                                        const Progress& progress = {});

}  // namespace ultr
