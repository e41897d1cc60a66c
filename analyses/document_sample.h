#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/log/dataset.h"

namespace ultr {

/// Returns the features of document `rank` (0-based) of a session of a log: its own, or those that
/// the data set has for its pair.
std::span<const float> document_features(const Dataset& dataset, const SessionLog& log,
                                         std::size_t session, std::size_t rank);

/// A sample of training sessions, for measurements whose cost grows with features, with the
/// relevance features of their documents.
struct DocumentSample {
  std::vector<std::uint32_t> sessions{};  // numbers in the training log, ascending
  std::size_t feature_count = 0;          // 0 if the data have none
  std::vector<float> features{};          // one row per document, session by session, from the top

  std::span<const float> row(std::size_t document) const {
    return std::span(features).subspan(document * feature_count, feature_count);
  }
};

/// Samples about `most_documents` of the documents of the training sessions, or all if there are no
/// more. Each session is drawn as a whole, independently, by (seed, its number). Bias features are
/// left out.
DocumentSample sample_documents(const Dataset& dataset, std::size_t most_documents,
                                std::uint64_t seed);

}  // namespace ultr
