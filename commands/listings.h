#pragma once

#include <string>

#include "experiment/registry.h"

namespace ultr {

/// Returns every type that a configuration can name and every metric, grouped, one line each.
/// Commands are left out: --help lists them.
std::string list_components(const Registry& registry);
/// Returns the groups and types of that name, with their options. Throws ConfigError if there are
/// none.
std::string list_components(const Registry& registry, const std::string& name);
/// Returns every option of a configuration and of every type that it can name, with its type,
/// limits, default and help.
std::string list_options(const Registry& registry);

}  // namespace ultr
