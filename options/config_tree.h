#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ultr {

/// A parsed configuration: scalars, lists and maps, each of which knows where it was written.
struct ConfigNode {
  enum class Kind { empty, scalar, list, map };
  Kind kind = Kind::empty;
  std::string where;      // "pbm.yaml:3:5", or the override that set it
  std::string key_where;  // the same of its key, if it is the entry of a map
  std::string scalar;
  bool quoted = false;  // the scalar was written as a string
  std::vector<ConfigNode> items;
  /// Of a map that an override made of a scalar: that scalar. It is the type of a choice, as in
  /// `optimizer: adam` changed by optimizer.lr=0.1.
  std::vector<ConfigNode> plain;
  struct Entry;
  std::vector<Entry> entries;

  const ConfigNode* find(std::string_view key) const;
};

/// A key of a map and what it has.
struct ConfigNode::Entry {
  std::string key;
  ConfigNode value;
};

/// Reads a YAML file. Throws ConfigError (file, line, column) if it cannot be read, is not YAML,
/// has a key twice, or is not a map.
ConfigNode read_config(const std::filesystem::path& file);
/// Reads YAML text; `name` stands for the file in messages.
ConfigNode parse_config(const std::string& text, const std::string& name);

/// Sets `key=value`, key with dots ("optimizer.lr=0.01"), value in YAML. Maps that are missing on
/// the way are made, of scalars too (see ConfigNode::plain). Throws ConfigError if the text has no
/// '=', the value is not YAML, or the way leads through a list.
void override_config(ConfigNode& root, const std::string& assignment);

/// The same with a value that was read before; `where` stands for the assignment in messages.
void override_config(ConfigNode& root, const std::string& key, ConfigNode value,
                     const std::string& where);

/// A value in one line of YAML, as it could be written: "[1, 2]", "{type: mlp}", "null".
std::string one_line_yaml(const ConfigNode& node);

/// The candidate with the fewest edits from `word`; empty if none is near.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace ultr
