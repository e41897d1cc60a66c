#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/features/feature_lists.h"

namespace ultr {

/// Which features of a document are bias features: what tells how it was displayed, such as its
/// height on the page, and not what it is worth. Models have them last (FeatureTable::bias_view).
class BiasColumns {
 public:
  /// None.
  BiasColumns() = default;
  /// `numbers`: features, counted from 1. Throws ConfigError if one is given twice, is none of the
  /// data's, or none is left that says anything of relevance.
  BiasColumns(std::span<const std::int64_t> numbers, std::size_t features);

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  /// Of each column of moved rows, its number before, 0-based; empty if there are no bias features.
  std::span<const std::size_t> order() const { return order_; }
  /// Moves the bias features of each row to its end, in the order of their numbers.
  void move_last(std::span<float> rows) const;
  FeatureLists move_last(const FeatureLists& lists) const;

 private:
  std::size_t count_ = 0;
  std::vector<std::size_t> order_;
};

}  // namespace ultr
