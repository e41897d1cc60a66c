#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/log/dataset.h"

namespace ultr {

/// The features of document `rank` (0-based) of a session of a log: its own, or those that the
/// data set has of its pair.
std::span<const float> document_features(const Dataset& dataset, const SessionLog& log,
                                         std::size_t session, std::size_t rank);

/// Training sessions that were drawn for measurements whose cost grows with features, and what
/// relevance is learned from of their documents.
struct DocumentSample {
  std::vector<std::uint32_t> sessions{};  // by number in the training log, rising
  std::size_t feature_count = 0;          // 0: the data have none
  std::vector<float> features{};          // a row a document, session by session, from the top

  std::span<const float> row(std::size_t document) const {
    return std::span(features).subspan(document * feature_count, feature_count);
  }
};

/// About `most_documents` of the training sessions' documents, or all if there are no more: each
/// session is drawn for itself, whole, by (seed, its number). Bias features are left out.
DocumentSample sample_documents(const Dataset& dataset, std::size_t most_documents,
                                std::uint64_t seed);

}  // namespace ultr
