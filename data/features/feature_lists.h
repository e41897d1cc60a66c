#pragma once

#include <cstdint>
#include <functional>

#include "base/files/column.h"
#include "data/log/signals.h"
#include "data/log/token_columns.h"

namespace ultr {

/// Largest relevance label: its gain 2^y - 1 still fits a 32-bit integer.
inline constexpr int largest_label = 31;

/// Says in messages which option lets trees have missing features.
inline constexpr const char* unless_missing = " (or data.scaling.missing: keep, for boosted_trees)";

/// Lists of documents with features, column by column, as data/columns/columns.h stores them. Every
/// column except `offsets` may be empty.
struct FeatureColumns {
  Column<std::int64_t> offsets;     // list i has documents offsets[i] to offsets[i+1] - 1
  Column<std::uint64_t> queries;    // one id per list
  Column<std::uint64_t> documents;  // one entry per document from here on; ids
  Column<std::uint16_t> positions;  // displayed, 0-based
  Column<std::uint8_t> clicks;      // 0 or 1
  Column<std::int32_t> labels;      // judged relevance, -2 = unjudged, else 0 to largest_label
  Column<float> propensities;       // probability of the logging policy's choice, in (0, 1]
  Column<float> features;           // feature_count finite numbers per document
  std::size_t feature_count = 0;
  TokenColumns words;    // of each document and its query
  bool missing = false;  // features may also be NaN: missing
  PerSignal<Column<std::uint16_t>> signals;
};

/// One list. A span is empty if the data do not have its column.
struct FeatureListView {
  std::uint64_t query = 0;
  std::span<const std::uint64_t> documents;
  std::span<const std::uint16_t> positions;
  std::span<const std::uint8_t> clicks;
  std::span<const std::int32_t> labels;
  std::span<const float> propensities;
  std::span<const float> features;  // row-major [documents, feature_count]
  SignalSpans signals{};
};

/// Lists of documents to learn to rank: an immutable value over columns in memory or in
/// memory-mapped files. Copies share the columns.
class FeatureLists {
 public:
  /// No lists.
  FeatureLists();
  /// Throws DataError, starting with the column's name and the entry, if an entry is outside the
  /// range that FeatureColumns states, the lengths of columns do not match, or a list has no
  /// document.
  explicit FeatureLists(FeatureColumns columns);

  std::size_t lists() const { return columns_.offsets.size() - 1; }
  std::size_t documents() const { return static_cast<std::size_t>(columns_.offsets[lists()]); }
  /// Features per document; 0 if the data have none.
  std::size_t features() const { return columns_.feature_count; }
  std::size_t length(std::size_t list) const { return end(list) - begin(list); }
  FeatureListView operator[](std::size_t list) const;
  /// True if documents have words.
  bool has_words() const { return !columns_.words.offsets.empty(); }
  /// The words of a document, by its number over all lists, and of its query.
  DocumentTokens words(std::size_t document) const { return words_of(columns_.words, document); }
  /// The number over all lists of a list's first document.
  std::size_t first_document(std::size_t list) const { return begin(list); }
  const FeatureColumns& columns() const { return columns_; }
  /// Returns these lists with other features: `change` edits a copy of all rows.
  FeatureLists with_features(const std::function<void(std::span<float> rows)>& change) const;

 private:
  std::size_t begin(std::size_t list) const {
    return static_cast<std::size_t>(columns_.offsets[list]);
  }
  std::size_t end(std::size_t list) const { return begin(list + 1); }

  FeatureColumns columns_;
};

/// Returns the lists with only the documents `kept`: increasing indices, 0-based over all lists.
/// Lists without a kept document are dropped.
FeatureLists select_documents(const FeatureLists& lists, std::span<const std::size_t> kept);

}  // namespace ultr
