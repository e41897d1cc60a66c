#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "data/features/bias_columns.h"
#include "data/features/feature_scaling.h"
#include "dsl/model_options.h"

namespace ultr {

/// File in a run's model/ with the relevance tower as ONNX.
inline constexpr const char* relevance_onnx_file = "relevance.onnx";

/// Bytes of the largest ONNX file, which are those of the largest message of Protocol Buffers.
inline constexpr std::size_t most_onnx_bytes = 0x7fffffff;

/// Returns the relevance of a model as an ONNX file (operator set 13), so that other programs can
/// rank with it. The graph is the layer that the model ranks by. Returns nothing unless that layer
/// computes logits from the features of a document (LogitLayer::graph) or from its words
/// (TransformerTower) alone. Throws Error if the file would have more than `most_bytes`.
///
///     input   features   float32 [documents, features]   as in the data files
///     output  relevance  float32 [documents]             logits
///
/// Scaling and its treatment of sentinels are part of the graph, in float64 as in training. Bias
/// features are part of the input; the graph drops them. The number of features is in the shape of
/// the input, and in the metadata under "features".
///
/// The inputs of a transformer are those of transformer_logits, and its metadata are the numbers of
/// its SequenceLayout.
std::optional<std::string> relevance_onnx(const TrainableModel& model,
                                          const FeatureScaling& scaling,
                                          const BiasColumns& bias = {},
                                          std::size_t most_bytes = most_onnx_bytes);

}  // namespace ultr
