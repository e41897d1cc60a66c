#pragma once

#include "data/log/pair_position_counts.h"

namespace ultr {

/// The variety of documents and ranks in a log. Without variety, no method that relies on
/// query-document pairs at several ranks can work.
struct OrderVariety {
  std::size_t repeated_queries = 0;  // queries with at least two sessions
  /// P(two sessions of a query, drawn without replacement, show the same documents at the same
  /// ranks), averaged over these queries weighted by their sessions; NaN if there are none. 1 means
  /// one order per query. Drawing two sessions makes the estimate unbiased even for few sessions.
  double same_order = 0;
  std::size_t repeated_pairs = 0;  // query-document pairs with at least two impressions
  /// Entropy of the rank at which a pair is shown, in bits, averaged over these pairs weighted by
  /// their impressions; NaN if there are none. 0 means one rank per pair; log2 n means n equally
  /// frequent ranks. Includes the correction of Miller (1955) for few impressions, (ranks - 1) / (2
  /// ln 2 impressions), capped at log2 of the pair's impressions.
  double rank_entropy = 0;
};

/// Measures all sessions of a log, of which `counts` are. The entropy leaves out pairs of row 0,
/// which stands for unknown ones.
OrderVariety order_variety(const SessionLog& log, const PairPositionCounts& counts);

}  // namespace ultr
