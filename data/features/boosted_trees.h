#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ultr {

/// Returns the number of rows of `feature_count` numbers. Throws Error if the numbers do not fill
/// whole rows.
std::size_t whole_rows(std::span<const float> features, std::size_t feature_count);

/// The documents that trees are grown on.
struct TreeData {
  std::span<const float> features;  // row-major, feature_count per document; NaN: missing
  std::size_t feature_count = 0;    // at least 1
  std::span<const float> labels;    // one per document
  std::span<const std::uint32_t> list_sizes = {};  // documents per list, for objectives over lists
};

/// Boosted regression trees, on XGBoost's C API with its errors turned into exceptions. Trees are
/// grown on the calling thread alone, so the same data, settings and seed give the same trees.
/// Copies share the trees.
class BoostedTrees {
 public:
  /// Names of XGBoost parameters and their values.
  using Settings = std::vector<std::pair<const char*, std::string>>;

  /// Grows `trees` trees, at least 1. Throws Error if sizes do not match, or if XGBoost refuses the
  /// data or a setting (with its message).
  BoostedTrees(const TreeData& data, std::int64_t trees, const Settings& settings,
               std::uint64_t seed);

  std::int64_t trees() const { return trees_; }
  std::size_t features() const { return feature_count_; }
  /// Returns one sum of leaf values per row of features() numbers: a logit if the objective is
  /// logistic. `trees`: use only the first so many trees, 1 to trees(); all if not given. Not
  /// thread-safe: no two threads may score the same trees at once, not even through copies. Throws
  /// Error if the features do not fill rows or `trees` is out of range.
  std::vector<double> score(std::span<const float> features,
                            std::optional<std::int64_t> trees = {}) const;
  /// Returns the trees in XGBoost's JSON, which XGBoost loads in any language.
  std::string json() const;

 private:
  std::shared_ptr<void> booster_;  // XGBoost's BoosterHandle
  std::int64_t trees_;
  std::size_t feature_count_;
};

}  // namespace ultr
