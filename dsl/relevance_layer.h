#pragma once

#include "dsl/model_options.h"

namespace ultr {

/// Returns the layer whose logits a model ranks by. Returns null if its relevance combines several
/// parameters, as that of `dbn` does, or none.
const TrainableModel::Layer* relevance_layer(const TrainableModel& model);

}  // namespace ultr
