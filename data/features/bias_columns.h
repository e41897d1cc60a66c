#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/features/feature_lists.h"

namespace ultr {

/// The bias features of a document: those that describe how it was displayed, such as its height on
/// the page, and not its relevance. Models expect them at the end of a row
/// (FeatureTable::bias_view).
class BiasColumns {
 public:
  /// No bias features.
  BiasColumns() = default;
  /// `numbers` are the bias features, counted from 1; `features` is the number of all features.
  /// Throws ConfigError if a number is repeated or out of range, or if no feature is left for
  /// relevance.
  BiasColumns(std::span<const std::int64_t> numbers, std::size_t features);

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  /// For each column of a moved row, its column before the move, 0-based. Empty without bias
  /// features.
  std::span<const std::size_t> order() const { return order_; }
  /// Moves the bias features of each row to its end. Both bias features and others keep their
  /// order.
  void move_last(std::span<float> rows) const;
  FeatureLists move_last(const FeatureLists& lists) const;

 private:
  std::size_t count_ = 0;
  std::vector<std::size_t> order_;
};

}  // namespace ultr
