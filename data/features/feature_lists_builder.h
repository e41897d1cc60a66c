#pragma once

#include <functional>
#include <optional>

#include "data/features/feature_lists.h"
#include "data/features/lexical_features.h"

namespace ultr {

/// A document as a file describes it, without its features.
struct FeatureDocument {
  std::optional<std::uint64_t> id = {};
  std::optional<std::uint16_t> position = {};
  std::optional<std::uint8_t> click = {};
  std::optional<std::int32_t> label = {};
  std::optional<float> propensity = {};
  PerSignal<std::optional<std::uint16_t>> signals = {};
};

/// Collects documents into feature lists.
class FeatureListsBuilder {
 public:
  /// Settings for handing over lists in parts instead of keeping all of them.
  struct Parts {
    std::size_t numbers = 0;  // features, at least one per document, that complete a part
    std::function<void(const FeatureLists&)> take = {};
  };

  /// `features` is the initial width of a row. Rows grow when a document has more.
  explicit FeatureListsBuilder(std::size_t features = 0) : width_(features) {}
  /// Collects documents and hands over whole lists in parts.
  FeatureListsBuilder(std::size_t features, Parts parts)
      : width_(features), parts_(std::move(parts)) {}

  /// Lets features be NaN: missing. Those that are not set are `absent`, 0 or NaN. Must be called
  /// before the first document.
  void allow_missing(float absent) {
    missing_ = true;
    absent_ = absent;
  }
  /// Makes the next document the first of a new list. A list that gets no document is dropped.
  /// Hands over the lists before it if they complete a part; throws what `build` and `Parts::take`
  /// throw.
  void start_list(std::uint64_t query);
  /// Adds a document with at least `features` features. Returns its row to be filled: all
  /// absent, valid until the next call. Throws Error before the first start_list.
  std::span<float> add(const FeatureDocument& document, std::size_t features = 0);

  /// Gives the document that was added last its words and those of its query.
  void add_words(std::span<const std::uint32_t> tokens, std::span<const std::uint8_t> types) {
    words_.add(tokens, types);
  }

  /// Lists and documents added so far, in all parts.
  std::size_t lists() const { return lists_before_ + queries_.size(); }
  std::size_t documents() const { return documents_before_ + documents_; }
  std::size_t features() const { return width_; }

  /// Returns everything added since the last part; the builder is spent afterwards. Throws
  /// DataError if some documents have an id (position, words, ...) and others do not, or as
  /// FeatureLists does.
  FeatureLists build();
  /// Hands over what was added since the last part, if anything.
  void finish_part();

 private:
  void widen(std::size_t features);

  std::size_t width_, documents_ = 0;                    // of this part
  std::size_t lists_before_ = 0, documents_before_ = 0;  // in earlier parts
  Parts parts_;
  bool missing_ = false;
  float absent_ = 0;
  std::optional<std::uint64_t> next_query_;
  std::vector<std::int64_t> offsets_;  // where each list starts
  std::vector<std::uint64_t> queries_, ids_;
  std::vector<std::uint16_t> positions_;
  std::vector<std::uint8_t> clicks_;
  std::vector<std::int32_t> labels_;
  std::vector<float> propensities_, features_;
  SignalColumns signals_;
  TokenColumnsBuilder words_;
};

/// Gives the document that was added last to a builder the words of a query, a title and an
/// abstract. Word w becomes token first_word + w.
void add_words(std::span<const Token> query, const TokenText& text, FeatureListsBuilder& to);

}  // namespace ultr
