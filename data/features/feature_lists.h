#pragma once

#include <cstdint>
#include <functional>

#include "base/column.h"

namespace ultr {

/// The largest relevance label, so that the gain 2^y - 1 is a 32-bit number.
inline constexpr int largest_label = 31;

/// Lists of documents with features, column by column; data/columns/columns.h stores them as they
/// are. All but `offsets` may be empty, if the data do not have them.
struct FeatureColumns {
  Column<std::int64_t> offsets;     // list i has the documents from offsets[i] to offsets[i+1]
  Column<std::uint64_t> queries;    // an id a list
  Column<std::uint64_t> documents;  // from here on, an entry a document: ids
  Column<std::uint16_t> positions;  // displayed, 0-based
  Column<std::uint8_t> clicks;      // 0 or 1
  Column<std::int32_t> labels;      // judged relevance, -2 = unjudged, else 0 to largest_label
  Column<float> propensities;       // of the logging policy's choice, above 0, at most 1
  Column<float> features;           // a row of `feature_count` finite numbers a document
  std::size_t feature_count = 0;
};

/// One list; a span is empty if the data do not have its column.
struct FeatureListView {
  std::uint64_t query = 0;
  std::span<const std::uint64_t> documents;
  std::span<const std::uint16_t> positions;
  std::span<const std::uint8_t> clicks;
  std::span<const std::int32_t> labels;
  std::span<const float> propensities;
  std::span<const float> features;  // row-major [documents, feature_count]
};

/// Lists of documents to learn to rank: an immutable value over columns in memory or in
/// memory-mapped files. A copy shares the columns.
class FeatureLists {
 public:
  /// No list.
  FeatureLists();
  /// Throws DataError, beginning with the name of the column and the entry, if the columns are not
  /// as FeatureColumns says or do not fit each other, or a list has no document.
  explicit FeatureLists(FeatureColumns columns);

  std::size_t lists() const { return columns_.offsets.size() - 1; }
  std::size_t documents() const { return static_cast<std::size_t>(columns_.offsets[lists()]); }
  /// Features of a document, 0 if the data have none.
  std::size_t features() const { return columns_.feature_count; }
  std::size_t length(std::size_t list) const { return end(list) - begin(list); }
  FeatureListView operator[](std::size_t list) const;
  const FeatureColumns& columns() const { return columns_; }
  /// The same lists with other features: `change` is given a copy of all rows.
  FeatureLists with_features(const std::function<void(std::span<float> rows)>& change) const;

 private:
  std::size_t begin(std::size_t list) const {
    return static_cast<std::size_t>(columns_.offsets[list]);
  }
  std::size_t end(std::size_t list) const { return begin(list + 1); }

  FeatureColumns columns_;
};

}  // namespace ultr
