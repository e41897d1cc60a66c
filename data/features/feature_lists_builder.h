#pragma once

#include <functional>
#include <optional>

#include "data/features/feature_lists.h"

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
  /// To hand over what was collected each time that it has so many numbers, instead of keeping all.
  struct Parts {
    std::size_t numbers = 0;  // of features, and of documents
    std::function<void(const FeatureLists&)> take = {};
  };

  /// `features`: of a document at least; rows grow when a document has more.
  explicit FeatureListsBuilder(std::size_t features = 0) : width_(features) {}
  /// The same, collecting whole lists in parts.
  FeatureListsBuilder(std::size_t features, Parts parts)
      : width_(features), parts_(std::move(parts)) {}

  /// The next document starts a list. A list that gets no document is none. Hands over the lists
  /// before it if they make a part, and throws what `build` and who takes them throw.
  void start_list(std::uint64_t query);
  /// Adds a document that has at least so many features, and returns its row to be filled, all
  /// zeros, valid until the next call. Throws Error before the first start_list.
  std::span<float> add(const FeatureDocument& document, std::size_t features = 0);

  /// Lists and documents that were added so far, in all parts.
  std::size_t lists() const { return lists_before_ + queries_.size(); }
  std::size_t documents() const { return documents_before_ + documents_; }
  std::size_t features() const { return width_; }

  /// All that was added; the builder is then spent. Throws DataError if only some documents have an
  /// id (position, ...), or as FeatureLists does.
  FeatureLists build();
  /// Hands over what is left, if anything, as the last part.
  void finish_part();

 private:
  void widen(std::size_t features);

  std::size_t width_, documents_ = 0;                    // of this part
  std::size_t lists_before_ = 0, documents_before_ = 0;  // in earlier parts
  Parts parts_;
  std::optional<std::uint64_t> next_query_;
  std::vector<std::int64_t> offsets_;  // where each list starts
  std::vector<std::uint64_t> queries_, ids_;
  std::vector<std::uint16_t> positions_;
  std::vector<std::uint8_t> clicks_;
  std::vector<std::int32_t> labels_;
  std::vector<float> propensities_, features_;
};

}  // namespace ultr
