#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ultr {

/// Documents of one of two samples, as rows of the same number of features.
struct FeatureSample {
  std::vector<float> features{};        // row-major; NaN: missing
  std::vector<std::uint64_t> groups{};  // one per row; rows of one group are not independent
};

/// Returns how well features separate two samples: the area under the ROC curve of a classifier,
/// which is the probability that it scores a document of the second sample above one of the first,
/// ties counted by half. About 0.5 means that it cannot separate them; 1 means that the samples
/// have nothing in common that it could learn. For normal samples of equal variance, an area A
/// means that a share 2 Φ(-Φ⁻¹(A) / √2) of either sample overlaps the other: 59% at 0.7, 36% at
/// 0.9, 10% at 0.99.
///
/// The classifier is XGBoost's boosted trees (`binary:logistic`, 50 trees of at most 16 leaves,
/// learning rate 0.1, the samples weighted alike), cross-validated in 5 folds of whole groups. The
/// result is the mean of the folds' areas, weighted by their number of pairs. Trees see nonlinear
/// differences, need no scaling and work well in high dimensions. This is the classifier two-sample
/// test of Lopez-Paz and Oquab (ICLR 2017) with the area in place of the accuracy, which depends on
/// a threshold. Unlike a maximum mean discrepancy, it has an interpretable scale, no kernel whose
/// choice decides the result, and a cost about linear in the rows.
///
/// Returns nothing if no fold has both samples in its training part and in its held-out part.
/// `seed` assigns groups to folds. Throws Error unless each sample has feature_count features, at
/// least one, per group.
std::optional<double> two_sample_auc(const FeatureSample& first, const FeatureSample& second,
                                     std::size_t feature_count, std::uint64_t seed);

/// Returns the area under the ROC curve of the scores of two samples; NaN if one is empty.
double roc_area(std::span<const double> first, std::span<const double> second);

}  // namespace ultr
