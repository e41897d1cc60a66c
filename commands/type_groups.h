#pragma once

#include <string>
#include <vector>

#include "experiment/registry.h"

namespace ultr {

/// The types that an option of a configuration, or an argument of ultr-run, can name.
struct TypeGroup {
  std::string name;  // "list-generators"
  std::string help;
  std::vector<OptionType> types;
};

/// The groups of commands and of metrics.
inline constexpr const char* commands_group = "commands";
inline constexpr const char* metrics_group = "metrics";

/// Returns all groups: those of the registry, every other table that a configuration chooses from,
/// and what else ultr-run names, such as metrics. The registry must outlive them.
std::vector<TypeGroup> type_groups(const Registry& registry);

/// Returns the groups that hold the types, each once; a type that is in several counts for the
/// first.
std::vector<const TypeGroup*> groups_of(const std::vector<OptionType>& types,
                                        const std::vector<TypeGroup>& groups);

}  // namespace ultr
