#include "options/config_tree.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "base/quote.h"

namespace ultr {
namespace {

std::string place(const std::string& name, const YAML::Mark& mark) {
  if (name.starts_with("option '")) return name;  // an override needs no line and column
  return fmt::format("{}:{}:{}", name, mark.line + 1, mark.column + 1);
}

/// Converts the nodes of yaml-cpp to ConfigNode.
class Converter {
 public:
  explicit Converter(const std::string& name) : name_(name) {}

  ConfigNode convert(const YAML::Node& from, std::size_t depth = 0) {
    // Limited, because an alias may refer to a node that contains it, and aliases of aliases
    // multiply.
    constexpr std::size_t deepest = 100, most = 1'000'000;
    if (depth > deepest)
      throw ConfigError(
          fmt::format("{}: nested too deeply; expected at most {} levels", at(from), deepest));
    if (++nodes_ > most)
      throw ConfigError(fmt::format("{}: too large; expected at most {} values", at(from), most));
    ConfigNode node;
    node.where = at(from);
    switch (from.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        node.kind = ConfigNode::Kind::scalar;
        node.scalar = from.Scalar();
        node.quoted = from.Tag() == "!" || from.Tag() == "tag:yaml.org,2002:str";
        break;
      case YAML::NodeType::Sequence:
        node.kind = ConfigNode::Kind::list;
        for (const auto& item : from) node.items.push_back(convert(item, depth + 1));
        break;
      case YAML::NodeType::Map:
        convert_entries(from, depth, node);
    }
    return node;
  }

 private:
  std::string at(const YAML::Node& node) const { return place(name_, node.Mark()); }

  void convert_entries(const YAML::Node& from, std::size_t depth, ConfigNode& node) {
    node.kind = ConfigNode::Kind::map;
    std::set<std::string> seen;
    for (const auto& entry : from) {
      if (!entry.first.IsScalar()) throw ConfigError(at(entry.first) + ": expected a name as key");
      const std::string key = entry.first.Scalar();
      if (!seen.insert(key).second)
        throw ConfigError(fmt::format("{}: key {} is given twice", at(entry.first), quote(key)));
      ConfigNode value = convert(entry.second, depth + 1);
      value.key_where = at(entry.first);
      if (value.kind == ConfigNode::Kind::empty) value.where = value.key_where;
      node.entries.push_back({key, std::move(value)});
    }
  }

  const std::string& name_;
  std::size_t nodes_ = 0;
};

void emit(const ConfigNode& node, YAML::Emitter& emitter) {
  switch (node.kind) {
    case ConfigNode::Kind::empty:
      emitter << YAML::Null;
      break;
    case ConfigNode::Kind::scalar:
      if (node.quoted) emitter << YAML::DoubleQuoted;
      emitter << node.scalar;
      break;
    case ConfigNode::Kind::list:
      emitter << YAML::BeginSeq;
      for (const ConfigNode& item : node.items) emit(item, emitter);
      emitter << YAML::EndSeq;
      break;
    case ConfigNode::Kind::map:
      emitter << YAML::BeginMap;
      for (const auto& [key, value] : node.entries) {
        emitter << YAML::Key << key << YAML::Value;
        emit(value, emitter);
      }
      emitter << YAML::EndMap;
  }
}

/// Returns the only document of a text, or an empty node if it has none. Throws ConfigError.
ConfigNode parse_document(const std::string& text, const std::string& name) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1)
      throw ConfigError(place(name, documents[1].Mark()) + ": a second document; expected one");
    return Converter(name).convert(documents.empty() ? YAML::Node() : documents.front());
  } catch (const YAML::Exception& error) {
    const std::string reason =
        error.msg.substr(0, error.msg.find('\n'));  // then the position again
    throw ConfigError(fmt::format("{}: not valid YAML: {}", place(name, error.mark), reason));
  }
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

ConfigNode parse_config(const std::string& text, const std::string& name) {
  ConfigNode tree = parse_document(text, name);
  if (tree.kind != ConfigNode::Kind::map && tree.kind != ConfigNode::Kind::empty)
    throw ConfigError(tree.where + ": expected a map of options");
  tree.kind = ConfigNode::Kind::map;
  tree.where = name;
  return tree;
}

ConfigNode read_config(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw ConfigError(file.string() + ": is a directory; expected a YAML file");
  std::ifstream stream(file);
  std::ostringstream text;
  // Inserting from an empty stream fails, but an empty file is a valid configuration.
  if (stream.is_open() && stream.peek() != std::ifstream::traits_type::eof())
    text << stream.rdbuf();
  if (!stream.is_open() || stream.bad() || !text)
    throw ConfigError(file.string() + ": cannot be read; expected a YAML file");
  return parse_config(text.str(), file.string());
}

void override_config(ConfigNode& root, const std::string& assignment) {
  const std::string where = "option " + quote(assignment);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) throw ConfigError(where + ": expected key=value");
  override_config(root, assignment.substr(0, equals),
                  parse_document(assignment.substr(equals + 1), where), where);
}

void override_config(ConfigNode& root, const std::string& path, ConfigNode value,
                     const std::string& where) {
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
    if (at->kind == ConfigNode::Kind::scalar) {
      ConfigNode map;
      map.where = at->where;
      map.key_where = at->key_where;
      map.plain.push_back(std::move(*at));
      *at = std::move(map);
    }
    if (at->kind == ConfigNode::Kind::empty) at->kind = ConfigNode::Kind::map;
    if (at->kind != ConfigNode::Kind::map)
      throw ConfigError(fmt::format("{}: {} is not a section", where, quote(path.substr(0, dot))));
    begin = dot + 1;
  }
  *at = std::move(value);
  at->where = at->key_where = where;
}

std::string one_line_yaml(const ConfigNode& node) {
  YAML::Emitter emitter;
  emitter << YAML::Flow;
  emit(node, emitter);
  return emitter.c_str();
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
    // Words without a common letter are not near, however short they are.
    if (row.back() < std::min(fewest, std::max(word.size(), candidate.size()))) {
      fewest = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace ultr
