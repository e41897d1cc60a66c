#pragma once

#include <optional>
#include <string>

#include "data/features/bias_columns.h"
#include "data/features/feature_scaling.h"
#include "dsl/model_options.h"

namespace ultr {

/// File in a run's model/ with the relevance tower as ONNX.
inline constexpr const char* relevance_onnx_file = "relevance.onnx";

/// Returns the relevance of a model as an ONNX file (operator set 13), so that other programs can
/// rank with it. The graph is the layer that the model ranks by. Returns nothing unless that layer
/// computes logits from the features of a document alone (LogitLayer::graph).
///
///     input   features   float32 [documents, features]   as in the data files
///     output  relevance  float32 [documents]             logits
///
/// Scaling and its treatment of sentinels are part of the graph, in float64 as in training. Bias
/// features are part of the input; the graph drops them. The number of features is in the shape of
/// the input, and in the metadata under "features".
std::optional<std::string> relevance_onnx(const TrainableModel& model,
                                          const FeatureScaling& scaling,
                                          const BiasColumns& bias = {});

}  // namespace ultr
