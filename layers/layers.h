#pragma once

#include <vector>

/// Menu of layers/: learned parameters, and the layers that map a batch to logits.
#include "layers/affine_layer.h"          // AffineLayer: weights and biases, the parts of towers
#include "layers/compression.h"           // Compression: entries that share the rows of tables
#include "layers/compressions.h"          // all types of compression
#include "layers/deep_cross_tower.h"      // DeepCrossTower: feature crosses and a deep network
#include "layers/embedding.h"             // Embedding: one row per entry plus a baseline
#include "layers/graph_builder.h"         // GraphBuilder: exports what layers compute
#include "layers/hash_compression.h"      // HashCompression: rows chosen by a hash
#include "layers/hidden_layers.h"         // HiddenLayers: layers of a perceptron
#include "layers/inputs_without_noise.h"  // InputsWithoutNoise: for layers held constant
#include "layers/linear_tower.h"          // LinearTower: a weighted sum of features
#include "layers/logit_layer.h"           // LogitLayer: the interface; Domain, Inputs
#include "layers/logit_table.h"           // LogitTable: one logit per rank, or one for all
#include "layers/mlp_tower.h"             // MlpTower: a multi-layer perceptron
#include "layers/parameter.h"             // DenseParameter, EmbeddingTable
#include "layers/position_encoding.h"     // PositionEncoding: positions inside another layer
#include "layers/quotient_remainder.h"    // QuotientRemainder: pairs of rows of two tables
#include "layers/sequence_encoder.h"      // SequenceEncoder: maps sequences of words to numbers
#include "layers/tower.h"                 // Tower: a logit computed from features
#include "layers/transformer_block.h"     // TransformerBlock: attention and two affine layers
#include "layers/transformer_encoder.h"   // TransformerEncoder, MaskedWordHead
#include "layers/transformer_tower.h"     // TransformerTower: a cross-encoder
#include "layers/tree_tower.h"            // TreeTower: boosted trees over features

namespace ultr {

/// All types of layers, with their names in a configuration.
const std::vector<OptionType>& layer_types();

}  // namespace ultr
