#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// How features are scaled.
struct FeatureScalingOptions final : Options {
  double sentinel = 1e30;    // numbers at least as large stand for missing values
  bool log1p = false;        // x becomes sign(x) ln(1 + |x|)
  bool standardise = false;  // then mean 0 and standard deviation 1 over the training documents

  void fields(Fields& f) override;
};

/// A scaling of features that was fitted on training data, the same for all data. Each feature x
/// becomes, in this order and as the options say,
///
///     the largest (x > 0) or smallest (x < 0) training value below the sentinel, where |x| is a
///     sentinel's; 0 if training has only sentinels there
///     sign(x) ln(1 + |x|)        Qin et al., "Are Neural Rankers still Outperformed by Gradient
///                                Boosted Decision Trees?", ICLR 2021
///     (x - mean) / deviation     of all training documents, after the steps above; the deviation
///     of
///                                a constant feature counts as 1
class FeatureScaling {
 public:
  /// What was fitted of a feature: smallest and largest value, and, where options standardise, mean
  /// and deviation, else 0 and 1.
  struct Feature {
    double low, high, mean, deviation;
  };

  /// Fits the statistics on training lists. Documents are summed in float64, in order.
  FeatureScaling(const FeatureLists& train, const FeatureScalingOptions& options);

  std::size_t features() const { return columns_.size(); }
  /// Scales rows of features in place. Throws DataError if the values do not fill rows.
  void apply(std::span<float> rows) const;
  /// The same lists with scaled features. Throws DataError for another number of features.
  FeatureLists apply(const FeatureLists& lists) const;

  /// Writes the fitted statistics: a float64 .npy matrix [features, 4] of the smallest and the
  /// largest value, mean and deviation.
  void save(const std::filesystem::path& file) const;
  /// What save wrote, with the options that were fitted. Throws DataError if it is not such a file.
  static FeatureScaling load(const std::filesystem::path& file,
                             const FeatureScalingOptions& options);

  double sentinel() const { return sentinel_; }
  bool log1p() const { return log1p_; }
  /// One a feature.
  std::span<const Feature> statistics() const { return columns_; }

 private:
  explicit FeatureScaling(const FeatureScalingOptions& options);
  double before_standardising(double x, const Feature& feature) const;

  double sentinel_;
  bool log1p_;
  std::vector<Feature> columns_;
};

}  // namespace ultr
