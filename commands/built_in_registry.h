#pragma once

#include "experiment/registry.h"

namespace ultr {

/// A registry with all types of ultr: models, losses, layers, optimizers, data and analyses.
Registry built_in_registry();

}  // namespace ultr
