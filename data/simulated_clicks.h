#pragma once

#include <cstdint>
#include <span>

#include "data/feature_lists.h"
#include "data/session_log.h"
#include "data/simulated_relevance.h"
#include "options/fields.h"

namespace ultr {

/// How clicks are simulated on lists with judged relevance.
struct SimulatedClickOptions final : Options {
  std::int64_t sessions = 1000000;
  std::int64_t positions = 10;
  double eta = 1;
  double noise = 0.1;
  double policy_strength = 0.5;
  std::int64_t rankings = 10;
  bool aggregate = true;

  void fields(Fields& f) override;
};

/// P(click | examined) of a document with label y: ε + (1-ε) (2^y - 1) / (2^4 - 1) (Hager et al.,
/// ECIR 2023). label: 0 to 4; noise: ε, 0 to 1.
double attractiveness(int label, double noise);
/// P(examined) at a position: (1/k)^η, k = position + 1. position: 0-based; eta: at least 0.
double position_bias(std::size_t position, double eta);

/// Sessions that each order of each list must have, so that `options.sessions` are made of so many
/// lists, at least 1.
std::int64_t sessions_an_order(const SimulatedClickOptions& options, std::size_t lists);

/// Sessions of position-based users on judged lists, whose documents have the given rows in the
/// dictionary, list after list.
///
/// Each list is shown in `rankings` orders by a policy of strength α: by falling
/// sign(α) (|α| label + (1-|α|) u), u uniform on [0, 4) and drawn for each order (Hager, 2025,
/// chapter 4), so that 1 gives the perfect order, 0 a random and -1 the worst one; the first
/// `positions` documents are shown. Each order has `repeats` sessions. A document is clicked with
/// probability position_bias * attractiveness.
///
/// With `aggregate` each order is one session, whose targets are the mean click rates (Hager et
/// al., ECIR 2023) and which has no clicks; else there are all sessions. A list's draws depend on
/// the seed and the row of its first document alone. Throws DataError if lists have no labels or
/// one above largest_simulated_label; unjudged documents count as label 0.
SessionLog simulate_clicks(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                           const SimulatedClickOptions& options, std::int64_t repeats,
                           std::uint64_t seed);

}  // namespace ultr
