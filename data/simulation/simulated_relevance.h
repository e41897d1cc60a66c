#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// The largest relevance for simulated users; relevance is from 0 to this, like judged labels.
inline constexpr int largest_simulated_label = 4;

/// Computes the relevance for simulated users: a number in [0, largest_simulated_label] for each
/// document of some lists, list after list. `rows` are the dictionary rows of the documents; a
/// query-document pair has the same relevance in every list.
using SimulatedRelevance = std::function<std::vector<double>(const FeatureLists& lists,
                                                             std::span<const std::uint32_t> rows)>;

/// The options of a kind of simulated relevance.
class SimulatedRelevanceOptions : public Options {
 public:
  /// Fits relevance on training lists. The result applies to these and all lists with the same
  /// features. It is a function of the seed, the training lists, and a document's row and features
  /// (or label) alone. Throws DataError if the lists lack the features or labels that it needs, as
  /// does the returned function.
  virtual SimulatedRelevance fit(const FeatureLists& train, std::span<const std::uint32_t> rows,
                                 std::uint64_t seed) const = 0;
};

/// The table of all kinds of relevance, each a SimulatedRelevanceOptions. `labels` is the judged
/// relevance, 4 label / `largest`, with 0 for unjudged documents. `disagreeing` users do not find
/// relevant what judges do, to the degree d: (1 - d) times the judged relevance plus d times
/// `linear`. The others have a known form, after section 4.7 of the thesis:
///
///     linear    s = w·x
///     tanh      s = v·tanh(W x + b), of 16 neurons
///     relevance of a document = 4 (s + σξ - p5) / (p95 - p5), cut to [0, 4]
///
/// x are the features, standardised over the training documents that have them; a missing feature
/// counts as its mean, 0. All weights are drawn from normal distributions: w with variance
/// 1/features; W with 4/features and b with 1, so that neurons saturate and no linear function
/// comes near; v with 1/16. s is divided by its standard deviation over the training documents, so
/// that σ is the noise-to-signal ratio for any weights (the thesis leaves the scale of s open). ξ
/// is standard normal, drawn once per query-document pair. p5 and p95 are the 5th and 95th
/// percentiles of s + σξ over the training documents, interpolated linearly. Training lists need
/// features, not all of them constant or missing.
const std::vector<OptionType>& simulated_relevance_types();

}  // namespace ultr
