#pragma once

#include <vector>

/// The menu of layers/: learned parameters, and what maps a batch to logits.
#include "layers/embedding.h"    // Embedding: a row a query-document pair, around a baseline
#include "layers/logit_layer.h"  // LogitLayer: the interface; Domain, Inputs
#include "layers/logit_table.h"  // LogitTable: a logit a rank, a rank pair, or one for all
#include "layers/parameter.h"    // DenseParameter, EmbeddingTable

namespace ultr {

/// All types of layers, by the name they have in a configuration.
const std::vector<OptionType>& layer_types();

}  // namespace ultr
