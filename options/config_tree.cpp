#include "options/config_tree.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace ultr {
namespace {

std::string place(const std::string& name, const YAML::Mark& mark) {
  if (name.starts_with("option '")) return name;  // an override is one line already
  return fmt::format("{}:{}:{}", name, mark.line + 1, mark.column + 1);
}

ConfigNode convert(const YAML::Node& from, const std::string& name) {
  ConfigNode node;
  node.where = place(name, from.Mark());
  switch (from.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null:
      break;
    case YAML::NodeType::Scalar:
      node.kind = ConfigNode::Kind::scalar;
      node.scalar = from.Scalar();
      node.quoted = from.Tag() == "!";
      break;
    case YAML::NodeType::Sequence:
      node.kind = ConfigNode::Kind::list;
      for (const auto& item : from) node.items.push_back(convert(item, name));
      break;
    case YAML::NodeType::Map: {
      node.kind = ConfigNode::Kind::map;
      std::set<std::string> seen;
      for (const auto& entry : from) {
        if (!entry.first.IsScalar())
          throw ConfigError(place(name, entry.first.Mark()) + ": expected a name as key");
        const std::string key = entry.first.Scalar();
        if (!seen.insert(key).second)
          throw ConfigError(
              fmt::format("{}: key '{}' is given twice", place(name, entry.first.Mark()), key));
        ConfigNode value = convert(entry.second, name);
        value.key_where = place(name, entry.first.Mark());
        if (value.kind == ConfigNode::Kind::empty) value.where = value.key_where;
        node.entries.push_back({key, std::move(value)});
      }
    }
  }
  return node;
}

/// The first line of a parser's message, without what it repeats of the position.
std::string one_line(const std::string& message) { return message.substr(0, message.find('\n')); }

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

ConfigNode parse_config(const std::string& text, const std::string& name) {
  YAML::Node root;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1)
      throw ConfigError(place(name, documents[1].Mark()) + ": a second document; expected one");
    if (!documents.empty()) root = documents.front();
  } catch (const YAML::ParserException& error) {
    throw ConfigError(
        fmt::format("{}: not valid YAML: {}", place(name, error.mark), one_line(error.msg)));
  }
  if (!root.IsMap() && !root.IsNull())
    throw ConfigError(place(name, root.Mark()) + ": expected a map of options");
  ConfigNode tree = convert(root, name);
  tree.kind = ConfigNode::Kind::map;
  tree.where = name;
  return tree;
}

ConfigNode read_config(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file))
    throw ConfigError(file.string() + ": is a directory; expected a YAML file");
  std::ifstream stream(file);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf()))
    throw ConfigError(file.string() + ": cannot be read; expected a YAML file");
  return parse_config(text.str(), file.string());
}

void override_config(ConfigNode& root, const std::string& assignment) {
  const std::string where = fmt::format("option '{}'", assignment);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) throw ConfigError(where + ": expected key=value");
  ConfigNode value;
  try {
    value = convert(YAML::Load(assignment.substr(equals + 1)), where);
  } catch (const YAML::ParserException& error) {
    throw ConfigError(fmt::format("{}: not valid YAML: {}", where, one_line(error.msg)));
  }
  const std::string path = assignment.substr(0, equals);
  ConfigNode* at = &root;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t dot = path.find('.', begin);
    const std::string key = path.substr(begin, dot == std::string::npos ? dot : dot - begin);
    if (key.empty()) throw ConfigError(where + ": expected a name before and after each dot");
    auto found = std::find_if(at->entries.begin(), at->entries.end(),
                              [&](const auto& entry) { return entry.key == key; });
    if (found == at->entries.end()) {
      at->entries.push_back({key, {}});
      found = std::prev(at->entries.end());
      found->value.where = found->value.key_where = where;
    }
    at = &found->value;
    if (dot == std::string::npos) break;
    if (at->kind == ConfigNode::Kind::empty) at->kind = ConfigNode::Kind::map;
    if (at->kind != ConfigNode::Kind::map)
      throw ConfigError(fmt::format("{}: '{}' is not a section", where, path.substr(0, dot)));
    begin = dot + 1;
  }
  *at = std::move(value);
  at->where = at->key_where = where;
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = 1 + std::max<std::size_t>(2, word.size() / 3);
  for (const std::string& candidate : candidates) {
    // Levenshtein distance, one row at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t change = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < fewest) {
      fewest = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace ultr
