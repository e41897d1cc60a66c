#pragma once

#include "data/log/session_log.h"

namespace ultr {

/// How much a log varies what it shows where. Without variety nothing can be said that rests on
/// query-document pairs at several ranks.
struct OrderVariety {
  std::size_t repeated_queries = 0;  // with at least two sessions
  /// P(two sessions of a query, drawn without replacement, show the same documents at the same
  /// ranks), a mean over these queries by their sessions; NaN if there are none. 1: one order a
  /// query. That of two sessions is what can be estimated without bias from few.
  double same_order = 0;
  std::size_t repeated_pairs = 0;  // query-document pairs with at least two impressions
  /// Entropy of the rank that a pair is shown at, in bits, a mean over these pairs by their
  /// impressions; NaN if there are none. 0: one rank a pair; log2 n: any of n ranks alike. With the
  /// correction of Miller (1955) for few impressions, (ranks - 1) / (2 ln 2 impressions), but at
  /// most log2 of the pair's impressions.
  double rank_entropy = 0;
};

/// Of all sessions. Pairs of row 0, which stands for unknown ones, are left out of the entropy.
OrderVariety order_variety(const SessionLog& log);

}  // namespace ultr
