#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "data/features/feature_lists.h"
#include "data/log/dataset.h"
#include "data/log/session_log.h"
#include "data/simulation/logging_policy.h"
#include "data/simulation/simulated_user.h"
#include "options/fields.h"

namespace ultr {

/// Options of simulated sessions: their number, length, cut-off and noise, and whether they are
/// aggregated.
struct SimulatedClickOptions final : Options {
  std::int64_t sessions = 1000000;
  std::int64_t positions = 10;
  std::int64_t cut_off = 1000;
  std::int64_t rankings = 1;
  double click_noise = 0;
  bool aggregate = true;

  void fields(Fields& f) override;
};

/// Returns the number of sessions of a data part with `lists` lists: as many per list as training,
/// which has options.sessions over `training_lists` lists; at least 1.
std::int64_t sessions_of_part(const SimulatedClickOptions& options, std::size_t lists,
                              std::size_t training_lists);

/// The parameters of a simulation beside its lists, policy, users and options.
struct SimulationRun {
  std::int64_t sessions = 1;
  std::uint64_t seed = 1;
  Split part = Split::train;  // each part has its own random numbers
  int threads = 1;            // the log is bit-identical for any number
};

/// The users who are shown lists.
struct UsersOfLists {
  SimulatedUsers users;
  std::optional<IndependentUsers> independent;  // the same users, if there are such

  UsersOfLists(const SimulatedUserOptions& options, const SimulatedUserSetting& setting)
      : users(options.users(setting)), independent(options.independent_users(setting)) {}
};

/// Simulates sessions of users on some lists, at least one. `rows`: the dictionary row of each
/// document, list after list. Users see document i of all lists (0-based) as row i + 1.
///
/// Each session draws one of the lists and one of its rankings, both uniformly. It shows the first
/// `positions` documents in the policy's order (policy.rank) and gets clicks from a user. Then
/// `click_noise` q flips the click of each document, or its absence, with probability q: P(click)
/// becomes p (1-q) + (1-p) q. Documents below rank `cut_off` get no clicks: they are candidates
/// that users are not shown.
///
/// With `aggregate`, all sessions of one ranking of a list become one session without clicks, whose
/// targets are the mean click rates. The result has these sessions list after list, without the
/// rankings that no session showed. Hager et al. (ECIR 2023) train on one rate per query-document
/// pair; here a pair has one rate per ranking. The policy must then give one order per ranking. Its
/// propensities, with which losses weight these sessions as they would weight the single ones, are
///
///     sessions of the list that show d at k / (rankings of the list * sessions of the ranking).
///
/// Where clicks do not depend on each other, sessions that are aggregated are counted without being
/// made: the same clicks in a fraction of the time.
SessionLog simulate_clicks(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                           const LoggingPolicy& policy, const UsersOfLists& users,
                           const SimulatedClickOptions& options, const SimulationRun& run);

}  // namespace ultr
