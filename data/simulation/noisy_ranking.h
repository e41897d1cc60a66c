#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "data/simulation/simulate_sessions.h"

namespace ultr {

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
  /// Sets the qualities of consecutive documents, the first of which has row `first`. May be called
  /// by several threads at once.
  std::function<void(std::int64_t first, std::span<float> qualities)> quality;

  /// Returns a function that draws a list for each session and returns its query, numbered from 1.
  DrawList lists(std::uint64_t seed) const;
};

}  // namespace ultr
