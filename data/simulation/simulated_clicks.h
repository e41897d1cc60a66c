#pragma once

#include <cstdint>
#include <span>

#include "data/features/feature_lists.h"
#include "data/log/dataset.h"
#include "data/log/session_log.h"
#include "data/simulation/logging_policy.h"
#include "data/simulation/simulated_user.h"
#include "options/fields.h"

namespace ultr {

/// How many sessions are simulated, of how many documents, and what of them is kept.
struct SimulatedClickOptions final : Options {
  std::int64_t sessions = 1000000;
  std::int64_t positions = 10;
  std::int64_t rankings = 1;
  double click_noise = 0;
  bool aggregate = true;

  void fields(Fields& f) override;
};

/// Sessions of a part of the data that has `lists` lists, where training has `training_lists` and
/// the sessions of the options: as many a list, at least 1.
std::int64_t sessions_of_part(const SimulatedClickOptions& options, std::size_t lists,
                              std::size_t training_lists);

/// What a simulation depends on beside its lists, policy and users.
struct SimulationRun {
  std::int64_t sessions = 1;
  std::uint64_t seed = 1;
  Split part = Split::train;  // each part draws numbers of its own
  int threads = 1;            // the log is the same to the bit for any number
};

/// Sessions of users on some lists, at least one, whose documents have the given rows in the
/// dictionary. Users are shown document i of all lists, from 0, as row i + 1.
///
/// Each session draws one of the lists and one of its rankings, both uniformly, is shown the first
/// `positions` documents in the policy's order (policy.rank), and clicks as the users do. With
/// `click_noise` q, each document's click then turns into no click, or no click into one, with
/// probability q, so that P(click) is p (1-q) + (1-p) q.
///
/// With `aggregate` the sessions of each ranking of each list become one, list after list, whose
/// targets are the mean click rates (Hager et al., ECIR 2023, train on those of each query-document
/// pair; here a pair of several rankings has a rate in each) and which has no clicks; rankings that
/// no session was shown are left out. The policy must then show one order a ranking.
SessionLog simulate_clicks(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                           const LoggingPolicy& policy, const SimulatedUsers& users,
                           const SimulatedClickOptions& options, const SimulationRun& run);

}  // namespace ultr
