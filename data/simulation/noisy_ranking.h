#pragma once

#include <cstddef>
#include <cstdint>

#include "data/simulation/simulate_sessions.h"

namespace ultr {

/// The quality of documents: row r of the dictionary has values[r * stride], or 0 if there are no
/// values.
struct DocumentQuality {
  const float* values = nullptr;
  std::int64_t stride = 1;
};

/// A production ranker that sees the quality of documents through noise. The frequencies of queries
/// follow Zipf's law. Each query has its own candidates, of which a session shows the best by
/// quality plus normal noise.
struct NoisyRanking {
  std::int64_t queries = 1;
  std::int64_t candidates = 1;  // per query; the d-th of query q, both from 0, has row
                                // q * candidates + d + 1
  std::size_t shown = 1;        // documents of a list, at most `candidates`
  double zipf = 1;              // exponent: P(query i) ∝ i^-zipf, i from 1
  double noise = 1;             // standard deviation
  DocumentQuality quality = {};

  /// Returns a function that draws lists. Their queries are numbered from 1. The values of
  /// `quality` must outlive it.
  DrawLists lists(std::uint64_t seed) const;
};

}  // namespace ultr
