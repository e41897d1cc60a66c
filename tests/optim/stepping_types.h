#pragma once

#include <vector>

#include "optim/optim.h"
#include "optim/optimizer.h"

namespace ultr::testing {

/// Types of optimizers that step along gradients.
inline std::vector<OptionType> stepping_types() {
  std::vector<OptionType> types;
  for (const OptionType& type : optimizer_types())
    if (dynamic_cast<OptimizerOptions*>(type.make().get()) != nullptr) types.push_back(type);
  return types;
}

}  // namespace ultr::testing
