#pragma once

#include <optional>
#include <string>

#include "data/features/bias_columns.h"
#include "data/features/feature_scaling.h"
#include "models/model_options.h"

namespace ultr {

/// In a run's model/: the relevance tower as ONNX.
inline constexpr const char* relevance_onnx_file = "relevance.onnx";

/// The relevance of a model as an ONNX file (operator set 13), so that other programs can rank: the
/// layer that it ranks by, if that computes logits from a document's features alone
/// (LogitLayer::graph); nothing otherwise.
///
///     input   features   float32 [documents, features]   as the data files have them
///     output  relevance  float32 [documents]             logits
///
/// Scaling is part of the graph, sentinels included, in float64 as in training; bias features are
/// given with the others, and left out there. The number of features stands in the input's shape,
/// and in the metadata under "features".
std::optional<std::string> relevance_onnx(const TrainableModel& model,
                                          const FeatureScaling& scaling,
                                          const BiasColumns& bias = {});

}  // namespace ultr
