#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/features/boosted_trees.h"
#include "options/fields.h"

namespace ultr {

/// How LambdaMART grows its trees.
struct LambdaMartOptions final : Options {
  std::int64_t trees = 100;
  std::int64_t leaves = 31;
  double learning_rate = 0.1;
  double document_share = 1;
  double feature_share = 1;

  void fields(Fields& f) override;
};

/// Largest label that LambdaMART learns from: its gain 2^y - 1 is a 32-bit number of XGBoost's.
inline constexpr int largest_lambdamart_label = 30;

/// Lists to learn a ranking from.
struct LabelledLists {
  std::span<const float> features;            // row-major, a row of feature_count a document
  std::size_t feature_count = 0;              // at least 1
  std::span<const std::uint32_t> list_sizes;  // documents of each list, at least 1
  std::span<const std::int32_t> labels = {};  // one a document, 0 to largest_lambdamart_label
};

/// LambdaMART (Burges, 2010): boosted regression trees on the gradients of LambdaRank, by XGBoost's
/// `rank:ndcg`, with the best leaf split next. The same lists, options and seed give the same
/// trees. Copies share the trees.
class LambdaMart {
 public:
  /// Learns to rank the lists. NaN stands for a missing feature. Throws Error if sizes do not fit
  /// each other, a label is out of range, or XGBoost refuses the data, with its message.
  LambdaMart(const LabelledLists& lists, const LambdaMartOptions& options, std::uint64_t seed);

  std::int64_t trees() const { return trees_.trees(); }
  std::size_t features() const { return trees_.features(); }
  /// Scores of documents, given a row of features() each; the higher, the more relevant, comparable
  /// within a list. `trees` and errors as those of BoostedTrees::score.
  std::vector<double> score(std::span<const float> features,
                            std::optional<std::int64_t> trees = {}) const {
    return trees_.score(features, trees);
  }

 private:
  BoostedTrees trees_;
};

}  // namespace ultr
