#include "options/config_tree.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "base/text/quote.h"
#include "base/text/utf8.h"
#include "options/yaml_text.h"

namespace ultr {
namespace {

std::string place(const std::string& name, const YAML::Mark& mark) {
  if (name.starts_with("option '")) return name;  // an override needs no line and column
  return fmt::format("{}:{}:{}", name, mark.line + 1, mark.column + 1);
}

/// Limits of a YAML text: its bytes, and the levels of its lists and maps.
constexpr std::size_t most_bytes_of_yaml = 16 << 20, deepest_yaml = 100;
/// Limits of what it means, with all aliases replaced by what they stand for.
constexpr std::size_t most_values = 1'000'000, most_expanded = 4 * most_bytes_of_yaml;

/// Builds a tree of ConfigNode while yaml-cpp parses. An alias stands for a copy of what it names,
/// and aliases of aliases multiply, so everything is counted as it is copied.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& name) : name_(name) {}

  ConfigNode& root() { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      throw ConfigError(place(name_, mark) + ": a second document; expected one");
  }
  void OnDocumentEnd() override {
    if (!error_.empty()) throw ConfigError(error_);
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(node_at(mark, ConfigNode::Kind::empty), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    ConfigNode node = node_at(mark, ConfigNode::Kind::scalar);
    if (!is_utf8(value))
      throw ConfigError(
          fmt::format("{}: {} is not UTF-8; expected text in UTF-8", node.where, quote(value, 60)));
    node.scalar = value;
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark&, YAML::anchor_t anchor) override {
    for (const Open& open : open_)  // it is within the node that it stands for
      if (open.anchor == anchor) fail_depth(open.node.where);
    add(ConfigNode(anchored_.at(anchor)), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(node_at(mark, ConfigNode::Kind::list), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(node_at(mark, ConfigNode::Kind::map), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A list or map whose end is yet to come.
  struct Open {
    ConfigNode node;
    YAML::anchor_t anchor = 0;
    std::optional<ConfigNode> key{};  // of a map, if its value comes next
    std::set<std::string> keys{};     // that a map has
  };

  ConfigNode node_at(const YAML::Mark& mark, ConfigNode::Kind kind) const {
    ConfigNode node;
    node.kind = kind;
    node.where = place(name_, mark);
    return node;
  }

  /// Notes the first error in keys, which counts if the text turns out to be YAML.
  void fail_at_end(const std::string& error) {
    if (error_.empty()) error_ = error;
  }

  [[noreturn]] static void fail_depth(const std::string& where) {
    throw ConfigError(
        fmt::format("{}: nested too deeply; expected at most {} levels", where, deepest_yaml));
  }

  /// Counts a node and what it contains. Throws ConfigError if there is too much.
  void count(const ConfigNode& node, std::size_t depth) {
    if (depth > deepest_yaml) fail_depth(node.where);
    if (++values_ > most_values)
      throw ConfigError(
          fmt::format("{}: too large; expected at most {} values", node.where, most_values));
    bytes_ += node.scalar.size();
    for (const ConfigNode& item : node.items) count(item, depth + 1);
    for (const auto& [key, value] : node.entries) {
      bytes_ += key.size();
      count(value, depth + 1);
    }
    if (bytes_ > most_expanded)
      throw ConfigError(fmt::format("{}: too large; expected at most {} bytes with all aliases",
                                    node.where, most_expanded));
  }

  void open(ConfigNode node, YAML::anchor_t anchor) {
    expect_key(node);
    count(node, open_.size());
    open_.push_back({.node = std::move(node), .anchor = anchor});
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    put(std::move(closed.node), closed.anchor);
  }

  void add(ConfigNode node, YAML::anchor_t anchor) {
    expect_key(node);
    count(node, open_.size());
    put(std::move(node), anchor);
  }

  /// Notes an error if a key comes next and the node cannot be one.
  void expect_key(const ConfigNode& node) {
    if (!open_.empty() && open_.back().node.kind == ConfigNode::Kind::map && !open_.back().key &&
        node.kind != ConfigNode::Kind::scalar)
      fail_at_end(node.where + ": expected a name as key");
  }

  void put(ConfigNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      count(node, open_.size());
      anchored_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& within = open_.back();
    if (within.node.kind == ConfigNode::Kind::list) {
      within.node.items.push_back(std::move(node));
    } else if (!within.key) {
      if (!within.keys.insert(node.scalar).second)
        fail_at_end(fmt::format("{}: key {} is given twice", node.where, quote(node.scalar)));
      within.key = std::move(node);
    } else {
      node.key_where = within.key->where;
      if (node.kind == ConfigNode::Kind::empty) node.where = node.key_where;
      within.node.entries.push_back({within.key->scalar, std::move(node)});
      within.key.reset();
    }
  }

  const std::string& name_;
  std::string error_;
  ConfigNode root_;
  std::vector<Open> open_;  // outermost first
  std::map<YAML::anchor_t, ConfigNode> anchored_;
  std::size_t documents_ = 0, values_ = 0, bytes_ = 0;
};

void emit(const ConfigNode& node, YAML::Emitter& emitter) {
  switch (node.kind) {
    case ConfigNode::Kind::empty:
      emitter << YAML::Null;
      break;
    case ConfigNode::Kind::scalar:
      emitter << YamlText{node.scalar, node.quoted};
      break;
    case ConfigNode::Kind::list:
      emitter << YAML::BeginSeq;
      for (const ConfigNode& item : node.items) emit(item, emitter);
      emitter << YAML::EndSeq;
      break;
    case ConfigNode::Kind::map:
      emitter << YAML::BeginMap;
      for (const auto& [key, value] : node.entries) {
        emitter << YAML::Key << YamlText{key} << YAML::Value;
        emit(value, emitter);
      }
      emitter << YAML::EndMap;
  }
}

/// Returns the only document of a YAML text, or an empty node if it has none. `name` stands for the
/// file in messages. Throws ConfigError if it is not YAML in UTF-8, has a key twice or exceeds a
/// limit.
ConfigNode parse_yaml(const std::string& text, const std::string& name) {
  if (text.size() > most_bytes_of_yaml)
    throw ConfigError(fmt::format("{}: too large; expected at most {} bytes", name.substr(0, 200),
                                  most_bytes_of_yaml));
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder tree(name);
    while (parser.HandleNextDocument(tree)) {
    }
    return std::move(tree.root());
  } catch (const YAML::Exception& error) {
    // Behind its first line stands the position again. It may show characters of the text.
    throw ConfigError(fmt::format("{}: not valid YAML: {}", place(name, error.mark),
                                  one_line(error.msg.substr(0, error.msg.find('\n')))));
  }
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

ConfigNode parse_config(const std::string& text, const std::string& name) {
  ConfigNode tree = parse_yaml(text, name);
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
  if (std::filesystem::is_fifo(file, ignored))
    throw ConfigError(file.string() +
                      ": is a pipe, which can be read only once; expected a YAML file");
  std::ifstream stream(file);
  std::string text;
  for (char part[1 << 14]; text.size() <= most_bytes_of_yaml && stream;) {
    stream.read(part, sizeof part);
    text.append(part, static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.is_open() || stream.bad())
    throw ConfigError(file.string() + ": cannot be read; expected a YAML file");
  return parse_config(text, file.string());
}

void override_config(ConfigNode& root, const std::string& assignment) {
  const std::string where = "option " + quote(assignment);
  if (!is_utf8(assignment)) throw ConfigError(where + ": is not UTF-8; expected text in UTF-8");
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) throw ConfigError(where + ": expected key=value");
  override_config(root, assignment.substr(0, equals),
                  parse_yaml(assignment.substr(equals + 1), where), where);
}

void override_config(ConfigNode& root, const std::string& path, ConfigNode value,
                     const std::string& where) {
  if (static_cast<std::size_t>(std::ranges::count(path, '.')) > deepest_yaml)
    throw ConfigError(
        fmt::format("{}: nested too deeply; expected at most {} levels", where, deepest_yaml));
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
      map.key_where = at->key_where;
      map.plain.push_back(std::move(*at));
      *at = std::move(map);
    }
    if (at->kind == ConfigNode::Kind::empty) {
      at->kind = ConfigNode::Kind::map;
      at->where = where;
    }
    if (at->kind != ConfigNode::Kind::map)
      throw ConfigError(fmt::format("{}: {} is not a section", where, quote(path.substr(0, dot))));
    begin = dot + 1;
  }
  *at = std::move(value);
  at->where = at->key_where = where;
  at->overridden = true;
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
