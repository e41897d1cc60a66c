#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layers/regression_tree.h"

namespace ultr {

/// The use that trees make of a feature. Gain, cover and weight are as XGBoost defines them.
struct FeatureImportance {
  std::int64_t feature = 0;  // its number in the data, from 1
  std::string name;          // empty if it has none
  double gain = 0;           // mean reduction of the loss over the splits on the feature
  double cover = 0;          // mean sum of second derivatives over these splits
  std::int64_t weight = 0;   // number of these splits
  double contribution = 0;   // mean |SHAP value| over the documents of a sample
};

/// The importance of the features of trees.
struct TreeImportance {
  std::string layer;                          // whose logits the trees compute
  std::size_t documents = 0;                  // of the sample
  std::vector<FeatureImportance> features{};  // by falling contribution, then gain
};

/// Returns the importance of features 1, 2, ... of trees. `contributions` are the SHAP values of a
/// sample of documents (LoadedTrees::contributions): feature_count + 1 per document. `names`: of
/// the features, or empty. `numbers`: of the features in the data, or empty if they are 1, 2, ....
TreeImportance tree_importance(std::string layer, std::span<const RegressionTree> trees,
                               std::size_t feature_count, std::span<const float> contributions,
                               std::span<const std::string> names,
                               std::span<const std::int64_t> numbers);

/// Returns the number of documents whose SHAP values take about a second on one thread: at least
/// 20, at most 2000. The time that a document takes grows with the squared depths of all leaves.
std::size_t affordable_contributions(std::span<const RegressionTree> trees);

}  // namespace ultr
