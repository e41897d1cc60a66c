#pragma once

#include <cstdint>
#include <span>

#include "data/features/boosted_trees.h"
#include "options/fields.h"

namespace ultr {

/// Options of LambdaMART.
struct LambdaMartOptions final : Options {
  std::int64_t trees = 100;
  std::int64_t leaves = 31;
  double learning_rate = 0.1;
  double document_share = 1;
  double feature_share = 1;

  void fields(Fields& f) override;
};

/// Largest label that LambdaMART accepts: XGBoost stores its gain 2^y - 1 in 32 bits.
inline constexpr int largest_lambdamart_label = 30;

/// Lists to learn a ranking from.
struct LabelledLists {
  std::span<const float> features;            // row-major, feature_count per document
  std::size_t feature_count = 0;              // at least 1
  std::span<const std::uint32_t> list_sizes;  // documents per list, at least 1
  std::span<const std::int32_t> labels = {};  // one per document, 0 to largest_lambdamart_label
};

/// LambdaMART (Burges, 2010): boosted regression trees on the gradients of LambdaRank, grown by
/// XGBoost's `rank:ndcg`. The leaf with the best split is split next. The same lists, options and
/// seed give the same trees. Copies share the trees.
class LambdaMart : public BoostedTrees {
 public:
  /// Learns to rank the lists. NaN stands for a missing feature. A higher score means more
  /// relevant; scores are comparable within a list. Throws Error if sizes do not match, a list is
  /// empty, a label is out of range, or XGBoost refuses the data (with its message).
  LambdaMart(const LabelledLists& lists, const LambdaMartOptions& options, std::uint64_t seed);
};

}  // namespace ultr
