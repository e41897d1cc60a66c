#pragma once

#include <vector>

/// The menu of layers/: learned parameters, and what maps a batch to logits.
#include "layers/compression.h"         // Compression: how entries share the rows of tables
#include "layers/embedding.h"           // Embedding: a row an entry, around a baseline
#include "layers/hash_compression.h"    // HashCompression: rows by hashing
#include "layers/logit_layer.h"         // LogitLayer: the interface; Domain, Inputs
#include "layers/logit_table.h"         // LogitTable: a logit a rank, a rank pair, or one for all
#include "layers/parameter.h"           // DenseParameter, EmbeddingTable
#include "layers/quotient_remainder.h"  // QuotientRemainder: pairs of rows of two tables

namespace ultr {

/// All types of layers, by the name they have in a configuration.
const std::vector<OptionType>& layer_types();

}  // namespace ultr
