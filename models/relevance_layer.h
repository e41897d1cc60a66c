#pragma once

#include "models/model_options.h"

namespace ultr {

/// The layer whose logits a model ranks by; null if its relevance is made of several parameters, as
/// that of `dbn`, or of none.
const TrainableModel::Layer* relevance_layer(const TrainableModel& model);

}  // namespace ultr
