#pragma once

#include "layers/graph_builder.h"
#include "layers/transformer_tower.h"

namespace ultr {

class OnnxGraph;

/// Adds a transformer to a graph without inputs, with these, int64 [documents, tokens]:
///
///     input_ids        tokens of each document's sequence (see SequenceLayout), then padding
///     token_type_ids   types of the tokens
///     attention_mask   1 for each token of the sequence, 0 for padding
///
/// Returns the logits, [documents, 1]. Tokens outside the vocabulary become the unknown one, and
/// types from the number of types on the last type, as in training. Padding may be any token and
/// type that are not negative. The graph fails if there are more tokens than max_tokens. Throws
/// Error if ONNX has no operators for its activation.
GraphValue transformer_logits(OnnxGraph& graph, const TransformerTower& tower);

}  // namespace ultr
