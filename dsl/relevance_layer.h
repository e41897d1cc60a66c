#pragma once

#include <vector>

#include "dsl/model_options.h"

namespace ultr {

/// Returns the layer whose logits a model ranks by. Returns null if its relevance combines several
/// parameters, as that of `dbn` does, or none.
const TrainableModel::Layer* relevance_layer(const TrainableModel& model);

/// Returns the layers whose probabilities multiply to relevance: attraction and satisfaction for
/// `dbn`, one layer for most models. Empty if relevance is anything but a product of parameters.
std::vector<const TrainableModel::Layer*> relevance_factors(const TrainableModel& model);

}  // namespace ultr
