#pragma once

#include <span>
#include <string>
#include <vector>

#include "layers/regression_tree.h"

/// Trees in the JSON of XGBoost 1.7, which XGBoost loads in any language.
namespace ultr {

/// Trees, and the number that the sum of their leaves starts from.
struct XgboostTrees {
  std::vector<RegressionTree> trees{};
  float start = 0;
};

/// Reads the trees of a model. Their nodes are numbered anew, level by level, since XGBoost keeps
/// deleted ones.
XgboostTrees trees_of_xgboost_json(const std::string& model);

/// Returns trees over `feature_count` features, and the number that the sum of their leaves starts
/// from, as a model whose predictions are the sums.
std::string xgboost_json(std::span<const RegressionTree> trees, float start,
                         std::size_t feature_count);

}  // namespace ultr
