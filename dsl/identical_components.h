#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dsl/trainable_model.h"

namespace ultr {

/// The names of two components of a mixture, such as "pbm" and "pbm_2".
using ComponentPair = std::pair<std::string, std::string>;

/// Returns the components of one type whose learned probabilities are all within `tolerance` of
/// those of an earlier component: the mixture does not tell them apart. Compares the parameters
/// that each has for itself, and leaves out layers that compute several logits from one number.
std::vector<ComponentPair> identical_components(const TrainableModel& model,
                                                double tolerance = 1e-3);

}  // namespace ultr
