#pragma once

#include "experiment/registry.h"

namespace ultr {

/// Returns a registry with all types of ultr: models, losses, layers, optimizers, data and
/// analyses.
Registry built_in_registry();

}  // namespace ultr
