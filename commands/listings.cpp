#include "commands/listings.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "commands/type_groups.h"
#include "experiment/experiment_options.h"
#include "options/config_tree.h"
#include "options/help.h"

namespace ultr {
namespace {

std::string heading(const TypeGroup& group) {
  return fmt::format("{}: {}{}\n", group.name, group.help,
                     group.name == metrics_group ? " ↓: lower is better, ↑: higher." : "");
}

/// Returns an empty string if no type of the group has the name.
std::string describe_type(const TypeGroup& group, const std::string& name) {
  for (const OptionType& type : group.types)
    if (type.name == name) return heading(group) + describe_types({type}, 2);
  return {};
}

[[noreturn]] void fail_unknown(const std::vector<TypeGroup>& groups, const std::string& name) {
  std::vector<std::string> known;
  for (const TypeGroup& group : groups) {
    known.push_back(group.name);
    for (const OptionType& type : group.types) known.push_back(type.name);
  }
  const std::string near = nearest_name(name, known);
  throw ConfigError(
      fmt::format("there is nothing called '{}'; expected a name that --list prints{}", name,
                  near.empty() ? "" : " (did you mean '" + near + "'?)"));
}

/// Joins short lines, "  name: help" each, while they fit 150 characters, as in "  a: x.  b: y".
std::string joined(const std::string& lines) {
  constexpr std::size_t width = 150;
  std::string text;
  std::size_t begin_of_line = 0;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    const std::string line = lines.substr(at, end - at);
    if (!text.empty() && text.size() - begin_of_line + line.size() <= width) {
      text.back() = '.';
    } else {
      begin_of_line = text.size();
    }
    text += line + "\n";
    at = end + 1;
  }
  return text;
}

/// Writes the direction of metrics as arrows, which the heading explains.
std::string with_arrows(std::string lines) {
  for (const auto& [words, arrow] :
       {std::pair("; lower is better", "↓"), {"; higher is better", "↑"}})
    for (std::size_t at = 0; (at = lines.find(words, at)) != std::string::npos;)
      lines.replace(at, std::strlen(words), arrow);
  return lines;
}

}  // namespace

std::string list_components(const Registry& registry) {
  std::string text;
  for (const TypeGroup& group : type_groups(registry)) {
    if (group.name == commands_group) continue;  // --help lists them
    std::string lines;
    std::vector<std::string> repeated;  // types that an earlier group has with the same help
    for (const OptionType& type : group.types) {
      const std::string line = fmt::format("  {}: {}\n", type.name, type.help);
      if (text.find("\n" + line) == std::string::npos)
        lines += line;
      else
        repeated.push_back(type.name);
    }
    text += heading(group);
    if (!repeated.empty()) {
      if (lines.empty()) text.pop_back();  // one line is enough
      lines += fmt::format("  {} (above)\n", fmt::join(repeated, ", "));
    }
    text += group.name == metrics_group ? joined(with_arrows(lines)) : lines;
  }
  return text;
}

std::string list_components(const Registry& registry, const std::string& name) {
  const std::vector<TypeGroup> groups = type_groups(registry);
  std::string text;
  for (const TypeGroup& group : groups)
    text += group.name == name ? heading(group) + describe_types(group.types, 2)
                               : describe_type(group, name);
  if (text.empty()) fail_unknown(groups, name);
  return text;
}

std::string list_options(const Registry& registry) {
  ExperimentOptions options(registry);
  std::string text = describe_options(options);
  for (const TypeGroup& group : type_groups(registry)) {
    const bool has_options =
        std::any_of(group.types.begin(), group.types.end(),
                    [](const OptionType& type) { return !describe_options(*type.make()).empty(); });
    if (has_options) text += "\n" + heading(group) + describe_types(group.types, 2);
  }
  return text;
}

}  // namespace ultr
