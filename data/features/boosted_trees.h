#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ultr {

/// How many rows of features there are. Throws Error unless they are whole.
std::size_t whole_rows(std::span<const float> features, std::size_t feature_count);

/// Documents to grow trees on.
struct TreeData {
  std::span<const float> features;  // row-major, a row of feature_count a document; NaN: missing
  std::size_t feature_count = 0;    // at least 1
  std::span<const float> labels;    // one a document
  std::span<const std::uint32_t> list_sizes = {};  // where objectives are of lists
};

/// Boosted regression trees of XGBoost's C API, its errors as exceptions. Trees are grown by the
/// calling thread alone, so that the same data, settings and seed give the same trees. Copies share
/// the trees.
class BoostedTrees {
 public:
  /// XGBoost's names of parameters and their values.
  using Settings = std::vector<std::pair<const char*, std::string>>;

  /// Grows so many trees, at least 1. Throws Error if sizes do not fit each other, or XGBoost
  /// refuses the data or a setting, with its message.
  BoostedTrees(const TreeData& data, std::int64_t trees, const Settings& settings,
               std::uint64_t seed);

  std::int64_t trees() const { return trees_; }
  std::size_t features() const { return feature_count_; }
  /// Sums of leaves, one a row of features(): logits where the objective is logistic. `trees`: how
  /// many of the first trees are asked, 1 to trees(); nothing: all. Not to be called of one
  /// BoostedTrees, or of copies that share its trees, by two threads at once. Throws Error if the
  /// features are no whole number of rows.
  std::vector<double> score(std::span<const float> features,
                            std::optional<std::int64_t> trees = {}) const;

 private:
  std::shared_ptr<void> booster_;  // of XGBoost
  std::int64_t trees_;
  std::size_t feature_count_;
};

}  // namespace ultr
