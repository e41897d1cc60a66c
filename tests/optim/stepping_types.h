#pragma once

#include <vector>

#include "optim/optim.h"
#include "optim/optimizer.h"

namespace ultr::testing {

/// The types of optimizers that make steps of gradients.
inline std::vector<OptionType> stepping_types() {
  std::vector<OptionType> types;
  for (const OptionType& type : optimizer_types())
    if (dynamic_cast<OptimizerOptions*>(type.make().get()) != nullptr) types.push_back(type);
  return types;
}

}  // namespace ultr::testing
