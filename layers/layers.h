#pragma once

#include <vector>

/// The menu of layers/: learned parameters, and what maps a batch to logits.
#include "layers/affine_layer.h"      // AffineLayer: weights and biases, what towers are made of
#include "layers/compression.h"       // Compression: how entries share the rows of tables
#include "layers/compressions.h"      // all types of compression
#include "layers/deep_cross_tower.h"  // DeepCrossTower: feature crosses and a deep network
#include "layers/embedding.h"         // Embedding: a row an entry, around a baseline
#include "layers/graph_builder.h"     // GraphBuilder: to export what layers compute
#include "layers/hash_compression.h"  // HashCompression: rows by hashing
#include "layers/hidden_layers.h"     // HiddenLayers: those of a multi-layer perceptron
#include "layers/inputs_without_noise.h"  // InputsWithoutNoise: for what is constant in training
#include "layers/linear_tower.h"          // LinearTower: a weighted sum of features
#include "layers/logit_layer.h"           // LogitLayer: the interface; Domain, Inputs
#include "layers/logit_table.h"           // LogitTable: a logit a rank, a rank pair, or one for all
#include "layers/mlp_tower.h"             // MlpTower: a multi-layer perceptron
#include "layers/parameter.h"             // DenseParameter, EmbeddingTable
#include "layers/quotient_remainder.h"    // QuotientRemainder: pairs of rows of two tables
#include "layers/tower.h"                 // Tower: a logit computed from features
#include "layers/weighted_representation.h"  // WeightedRepresentation: a logit on top of a tower

namespace ultr {

/// All types of layers, by the name they have in a configuration.
const std::vector<OptionType>& layer_types();

}  // namespace ultr
