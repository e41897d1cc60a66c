#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/features/feature_scaling.h"
#include "layers/regression_tree.h"

namespace ultr {

/// Returns trees over scaled features as trees over raw ones: thresholds become those of raw
/// numbers, exactly, since scaling keeps the order of all numbers below the sentinel. `columns`:
/// for each feature of the trees, its place among those of the scaling; empty: the same.
std::vector<RegressionTree> over_raw_features(std::span<const RegressionTree> trees,
                                              const FeatureScaling& scaling,
                                              std::span<const std::size_t> columns);

/// Returns trees in the form that the learning-to-rank plugins of Elasticsearch and OpenSearch call
/// model/xgboost+json: a JSON array of trees, as XGBoost dumps them. The plugins add up the leaves,
/// so the start is part of the leaves of the first tree. `names`: of the features in the plugin's
/// feature set; empty: f0, f1, .... Returns nothing if a split is by categories, which the form
/// does not have.
std::optional<std::string> elasticsearch_json(std::span<const RegressionTree> trees, float start,
                                              std::span<const std::string> names);

}  // namespace ultr
