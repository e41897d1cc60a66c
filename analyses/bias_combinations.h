#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiment/data_options.h"
#include "metrics/bias/interventions.h"

namespace ultr {

/// Neighbouring values of a bias feature that count as one, before scaling.
struct ValueGroup {
  double lowest = 0, highest = 0;
};

/// The combinations of rank and bias features with which training sessions display documents.
///
/// A bias tower over such features, P(click) = σ(b(z) + r(x)), has a bias for each combination z.
/// If nothing is assumed of the tower, clicks identify it under the same conditions as one bias for
/// each rank, with combinations in the place of ranks (Hager, 2025, appendix 4.A).
struct BiasCombinations {
  struct Combination {
    std::size_t rank = 0;               // 0-based
    std::vector<std::size_t> groups{};  // of each bias feature's values, in `groups` below
  };

  std::vector<std::string> features;            // names of the bias features
  std::vector<std::vector<ValueGroup>> groups;  // of each feature, ascending
  std::vector<Combination> all;                 // that are shown; ascending by rank, then by groups
  DisplayPlaces places;                         // the combination of each training document

  /// Returns "rank, height and device".
  std::string dimensions() const;
  /// Returns "rank 3, height = 0.5 to 0.75, device = 1".
  std::string name(std::size_t combination) const;
};

/// The largest number of combinations, since their graph takes memory for its square.
inline constexpr std::size_t most_combinations = 2000;

/// Finds the combinations of the training sessions, whose documents must have bias features. The
/// values of a feature that has more than `most_groups` are divided into that many groups of about
/// equally many impressions. Throws ConfigError if there are more than most_combinations.
BiasCombinations bias_combinations(const ExperimentData& data, std::size_t most_groups);

}  // namespace ultr
