#pragma once

#include <cstdint>
#include <string>

#include "experiment/registry.h"

namespace ultr::testing {

/// Returns an experiment as YAML that is drawn from all types and options that the registry
/// declares: data that need no files, a model or loss with layers, an optimizer and settings, with
/// values within their domains, at their ends and, with some seeds, just outside. Sizes are small.
std::string random_configuration(const Registry& registry, std::uint64_t seed);

}  // namespace ultr::testing
