#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layers/regression_tree.h"

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

/// Settings of growing one regression tree on slopes.
struct TreeGrowth {
  std::int64_t leaves = 31;     // at most; 0: any number
  std::int64_t depth = 0;       // at most; 0: any
  double learning_rate = 0.1;   // factor of leaf values
  double min_child_weight = 1;  // least sum of second derivatives in a leaf
  double lambda = 1;            // L2 penalty of leaf values
  double min_gain = 0;          // least reduction of the loss by a split
  double columns = 1;           // fraction of the features that a tree may split on
  std::int64_t bins = 256;      // most thresholds per feature
  std::vector<int> monotone =
      {};  // per feature: 1 must not fall, -1 must not rise, 0 either; or none
  std::vector<std::size_t> categorical = {};  // features, 0-based, that are categories
};

/// Grows regression trees on slopes and second derivatives of any loss, by XGBoost. The same
/// numbers, settings and seed give bit-identical trees on any number of threads: slopes are rounded
/// so that sums of them in float64 are exact, whatever their order. Copies share what XGBoost keeps
/// from tree to tree: no two threads may grow trees at once, not even by copies.
class TreeGrower {
 public:
  /// `features`: row-major, `feature_count` per document; NaN: missing. They are copied. Throws
  /// Error if they do not fill rows, there are none, or XGBoost refuses a setting (with its
  /// message).
  TreeGrower(std::span<const float> features, std::size_t feature_count, TreeGrowth growth,
             int threads);

  std::size_t documents() const { return documents_; }
  /// Returns the tree of one boosting round: leaf values lower a loss with these slopes and (at
  /// least 0) second derivatives in the scores of the documents. Throws Error if the numbers are
  /// not one per document.
  RegressionTree grow(std::span<const double> slopes, std::span<const double> curvatures,
                      std::uint64_t seed) const;

 private:
  std::size_t documents_;
  TreeGrowth growth_;
  int threads_;
  std::shared_ptr<void> state_;  // XGBoost's handles
};

/// Rounds numbers to multiples of a power of two, at most 2^-51 of the sum of their magnitudes, so
/// that every sum of some of them is exact in float64.
std::vector<float> exactly_summable(std::span<const double> numbers);

/// Trees that XGBoost has loaded from its JSON. Not thread-safe.
class LoadedTrees {
 public:
  /// Throws Error, with XGBoost's message, if XGBoost refuses the model.
  LoadedTrees(const std::string& json, std::size_t feature_count, int threads);

  /// Returns the prediction for each row of feature_count numbers; NaN: missing. Throws Error if
  /// the features do not fill rows.
  std::vector<float> scores(std::span<const float> features) const;
  /// Returns SHAP values: for each row, what each feature adds to the prediction (Lundberg et al.,
  /// "From local explanations to global understanding with explainable AI for trees", 2020), and at
  /// last the mean prediction that they add to: [rows, feature_count + 1]. Their sum is the
  /// prediction. Throws as `scores`.
  std::vector<float> contributions(std::span<const float> features) const;

 private:
  std::vector<float> predict(std::span<const float> features, int what) const;

  std::shared_ptr<void> booster_;  // XGBoost's BoosterHandle
  std::size_t feature_count_;
};

}  // namespace ultr
