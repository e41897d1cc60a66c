#pragma once

#include <string>

#include "experiment/registry.h"

namespace ultr {

/// Lists every model, layer, loss, optimizer, schedule, reader and metric with its options.
std::string list_components(const Registry& registry);
/// Lists every option of a configuration with its type, limits, default and help.
std::string list_options(const Registry& registry);

}  // namespace ultr
