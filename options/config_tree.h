#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ultr {

/// A node of a parsed configuration: a scalar, a list or a map. It knows where it was written.
struct ConfigNode {
  enum class Kind { empty, scalar, list, map };
  Kind kind = Kind::empty;
  std::string where;      // "pbm.yaml:3:5", or the override that set it or made a map of it
  std::string key_where;  // the place of its key, if it is an entry of a map
  std::string scalar;
  bool quoted = false;      // the scalar was written as a string
  bool overridden = false;  // an override set it
  std::vector<ConfigNode> items;
  /// The scalar from which an override made this map; else empty. It is the type of a choice, as
  /// when optimizer.lr=0.1 changes `optimizer: adam`.
  std::vector<ConfigNode> plain;
  struct Entry;
  std::vector<Entry> entries;

  /// Returns the value of a key, or null if the node has no such key.
  const ConfigNode* find(std::string_view key) const;
};

/// A key of a map and its value.
struct ConfigNode::Entry {
  std::string key;
  ConfigNode value;
};

/// Reads a YAML file. Throws ConfigError (file, line, column) if it cannot be read, is not YAML,
/// has a key twice, is not a map, or is nested too deeply or too large.
ConfigNode read_config(const std::filesystem::path& file);
/// Parses YAML text; `name` stands for the file in messages. Throws ConfigError as read_config
/// does.
ConfigNode parse_config(const std::string& text, const std::string& name);

/// Applies an override `key=value`: the key may have dots ("optimizer.lr=0.01"), the value is YAML.
/// Missing maps on the path are created, also in place of scalars (see ConfigNode::plain). Throws
/// ConfigError if the text has no '=', the value is not YAML, or the path leads through a list.
void override_config(ConfigNode& root, const std::string& assignment);

/// Applies an override whose value is already parsed; `where` stands for the assignment in
/// messages.
void override_config(ConfigNode& root, const std::string& key, ConfigNode value,
                     const std::string& where);

/// Formats a value as one line of YAML: "[1, 2]", "{type: mlp}", "null".
std::string one_line_yaml(const ConfigNode& node);

/// Returns the candidate with the fewest edits from `word`, or an empty string if none is near: at
/// most two edits, or a third of the word's length if that is more.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace ultr
