#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// Options of feature scaling.
struct FeatureScalingOptions final : Options {
  double sentinel = 1e30;          // numbers of at least this magnitude are missing values
  std::string missing = "refuse";  // or keep, for trees
  bool log1p = false;              // x becomes sign(x) ln(1 + |x|)
  bool standardise = false;  // then mean 0 and standard deviation 1 over the training documents

  void fields(Fields& f) override;
  bool keeps_missing() const { return missing == "keep"; }
};

/// A scaling of features, fitted on training data and applied to all data. Each feature x goes
/// through these steps, in this order and as far as the options ask for them:
///
///     sentinel       x with |x| >= sentinel becomes the largest (x > 0) or smallest (x < 0)
///                    training value of the feature below the sentinel; 0 if there is none. If
///                    missing values are kept, it becomes NaN, and NaN stays NaN
///     log1p          sign(x) ln(1 + |x|)   (Qin et al., "Are Neural Rankers still Outperformed by
///                    Gradient Boosted Decision Trees?", ICLR 2021)
///     standardise    (x - mean) / deviation of all training documents after the steps above, of
///                    those that are not missing; a constant feature has deviation 1
class FeatureScaling {
 public:
  /// Statistics of one feature: smallest and largest value below the sentinel, mean and standard
  /// deviation. Unless features are standardised, the latter are 0 and 1.
  struct Feature {
    double low, high, mean, deviation;
  };

  /// Fits the statistics on training lists. Documents are summed in float64, in order, so that the
  /// same lists give the same bits.
  FeatureScaling(const FeatureLists& train, const FeatureScalingOptions& options);

  std::size_t features() const { return columns_.size(); }
  /// Scales a number of a feature, 0-based.
  float apply(float x, std::size_t feature) const {
    const Feature& its = columns_[feature];
    return static_cast<float>((before_standardising(x, its) - its.mean) / its.deviation);
  }
  /// Returns the number that was scaled to x. If x is rounded so that it may be several, it is one
  /// with the fewest decimal places, as numbers in files have few.
  double undo(float x, std::size_t feature) const;
  /// Scales rows of features in place. Throws DataError if the values do not fill rows.
  void apply(std::span<float> rows) const;
  /// Returns the lists with scaled features. Throws DataError if they have another number of
  /// features than the training lists.
  FeatureLists apply(const FeatureLists& lists) const;

  /// Writes the fitted statistics as a float64 .npy matrix [features, 4]: smallest value, largest
  /// value, mean, deviation. Throws DataError if the file cannot be written.
  void save(const std::filesystem::path& file) const;
  /// Loads what save wrote; `options` are those of the fit. Throws DataError if the file is not a
  /// feature scaling.
  static FeatureScaling load(const std::filesystem::path& file,
                             const FeatureScalingOptions& options);

  double sentinel() const { return sentinel_; }
  bool keeps_missing() const { return keeps_missing_; }
  bool log1p() const { return log1p_; }
  /// One entry per feature.
  std::span<const Feature> statistics() const { return columns_; }

 private:
  explicit FeatureScaling(const FeatureScalingOptions& options);
  double before_standardising(double x, const Feature& feature) const;

  double sentinel_;
  bool keeps_missing_, log1p_;
  std::vector<Feature> columns_;
};

}  // namespace ultr
