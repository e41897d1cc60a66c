#pragma once

#include <optional>

#include "data/feature_lists.h"

namespace ultr {

/// A document as a file has it, its features aside.
struct FeatureDocument {
  std::optional<std::uint64_t> id = {};
  std::optional<std::uint16_t> position = {};
  std::optional<std::uint8_t> click = {};
  std::optional<std::int32_t> label = {};
  std::optional<float> propensity = {};
};

/// Collects documents into feature lists.
class FeatureListsBuilder {
 public:
  /// `features`: of a document at least; rows grow when a document has more.
  explicit FeatureListsBuilder(std::size_t features = 0) : width_(features) {}

  /// The next document starts a list. A list that gets no document is none.
  void start_list(std::uint64_t query);
  /// Adds a document that has at least so many features, and returns its row to be filled, all
  /// zeros, valid until the next call. Throws Error before the first start_list.
  std::span<float> add(const FeatureDocument& document, std::size_t features = 0);

  std::size_t lists() const { return queries_.size(); }
  std::size_t documents() const { return documents_; }
  std::size_t features() const { return width_; }

  /// All that was added; the builder is then spent. Throws DataError if only some documents have an
  /// id (position, ...), or as FeatureLists does.
  FeatureLists build();

 private:
  void widen(std::size_t features);

  std::size_t width_, documents_ = 0;
  std::optional<std::uint64_t> next_query_;
  std::vector<std::int64_t> offsets_;  // where each list starts
  std::vector<std::uint64_t> queries_, ids_;
  std::vector<std::uint16_t> positions_;
  std::vector<std::uint8_t> clicks_;
  std::vector<std::int32_t> labels_;
  std::vector<float> propensities_, features_;
};

}  // namespace ultr
