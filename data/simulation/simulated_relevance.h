#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// Relevance of simulated users goes from 0 to this, as judged labels do.
inline constexpr int largest_simulated_label = 4;

/// What simulated users find relevant: a number in [0, largest_simulated_label] for each document
/// of some lists, list after list. `rows` are the documents' in the dictionary; a query-document
/// pair is as relevant wherever it stands.
using SimulatedRelevance = std::function<std::vector<double>(const FeatureLists& lists,
                                                             std::span<const std::uint32_t> rows)>;

/// The options of a kind of relevance.
class SimulatedRelevanceOptions : public Options {
 public:
  /// Relevance that is fitted on training lists, for these and all others with the same features.
  /// It is a function of the seed, of what the training lists are, and of a document's row and
  /// features (or label) alone. Throws DataError if the lists do not have what it goes by; the
  /// function does too.
  virtual SimulatedRelevance fit(const FeatureLists& train, std::span<const std::uint32_t> rows,
                                 std::uint64_t seed) const = 0;
};

/// All kinds of relevance, each a SimulatedRelevanceOptions: `labels`, the judged relevance, where
/// unjudged documents count as 0; and relevance of a known form, after section 4.7 of the thesis:
///
///     linear    s = w·x
///     tanh      s = v·tanh(W x + b), of 16 neurons
///     relevance of a document = 4 (s + σξ - p5) / (p95 - p5), cut to [0, 4]
///
/// x are the features, standardised over the training documents. All weights are drawn from normal
/// distributions: w with variance 1/features; W with 4/features and b with 1, so that neurons
/// saturate and no linear function comes near; v with 1/16. Then s is divided by its standard
/// deviation over the training documents, so that the noise σ is a share of it whatever was drawn
/// (the thesis leaves the scale of s open). ξ is standard normal, drawn once a query-document pair.
/// p5 and p95 are the 5th and the 95th percentile of s + σξ over the training documents, between
/// neighbours by linear interpolation. Training lists need features, not all of them constant.
const std::vector<OptionType>& simulated_relevance_types();

}  // namespace ultr
