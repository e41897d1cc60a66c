#include "options/read.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"
#include "base/text/quote.h"
#include "options/field_describer.h"

namespace ultr {
namespace {

/// Collects the dotted names of all fields, also those in sections and in the chosen types.
class NameCollector final : public FieldDescriber {
 public:
  std::vector<std::string> names_;

  void section(std::string_view name, Options& options, std::string_view) override {
    const std::string outer = std::exchange(path_, fmt::format("{}{}.", path_, name));
    options.fields(*this);
    path_ = outer;
  }
  void choice(std::string_view name, Choice& choice, std::string_view) override {
    const std::string outer = std::exchange(path_, fmt::format("{}{}.", path_, name));
    add(choice.key);
    choice.options->fields(*this);
    path_ = outer;
  }
  void choices(std::string_view name, std::vector<Choice>&, const std::vector<OptionType>&,
               std::string_view) override {
    add(name);
  }
  void inline_choice(Choice& choice, std::string_view) override {
    add(choice.key);
    choice.options->fields(*this);
  }

 private:
  void field(std::string_view name, const std::string&, const std::string&,
             std::string_view) override {
    add(name);
  }
  void add(std::string_view name) { names_.push_back(path_ + std::string(name)); }

  std::string path_;  // "optimizer." inside that section
};

/// Returns the option that someone may mean who writes a key without its section, such as
/// optimizer.lr for lr; if several are called so, the two with the fewest sections. Empty if there
/// is none.
std::string option_called(std::string_view key, Options& options) {
  NameCollector all;
  options.fields(all);
  std::vector<std::string> called;
  for (const std::string& name : all.names_)
    if (name.ends_with(fmt::format(".{}", key))) called.push_back(name);
  std::ranges::stable_sort(called, {},
                           [](const std::string& name) { return std::ranges::count(name, '.'); });
  if (called.size() > 2) called.resize(2);
  return fmt::format("{}", fmt::join(called, "' or '"));
}

/// Returns true if an override set this node or one in it.
bool has_override(const ConfigNode& node) {
  return node.overridden ||
         std::ranges::any_of(node.entries, [](const auto& e) { return has_override(e.value); }) ||
         std::ranges::any_of(node.plain, has_override);
}

std::string shown(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::empty:
      return "nothing";
    case ConfigNode::Kind::list:
      return "a list";
    case ConfigNode::Kind::map:
      return "a section";
    default:
      return quote(node.scalar, 60);
  }
}

/// Parses a whole scalar as a number that Number can hold, with an optional plus sign. Returns
/// nullopt if it is not one or is quoted.
template <class Number>
std::optional<Number> parse(const ConfigNode& node) {
  if (node.kind != ConfigNode::Kind::scalar || node.quoted) return std::nullopt;
  std::string_view text = node.scalar;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> to_number(const ConfigNode& node) {
  const std::optional<double> value = parse<double>(node);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

constexpr std::int64_t largest_integer = 9007199254740992;  // 2^53: doubles are exact up to here

/// Parses a whole number, written as an integer ("1000000") or as a number without fraction
/// ("1e6"). Returns infinity, with its sign, if it is too large for a double to tell it from its
/// neighbours.
std::optional<double> to_whole_number(const ConfigNode& node) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (const auto integer = parse<std::int64_t>(node)) {
    if (*integer > largest_integer) return infinity;
    if (*integer < -largest_integer) return -infinity;
    return static_cast<double>(*integer);
  }
  const std::optional<double> number = to_number(node);
  if (!number || *number != std::floor(*number)) return std::nullopt;
  // 2^53 may be the rounded value of a larger number.
  return std::abs(*number) < static_cast<double>(largest_integer)
             ? *number
             : std::copysign(infinity, *number);
}

class Reader : public Fields {
 public:
  /// `root` are all options, of which `path` leads to those of the node.
  Reader(const ConfigNode& node, std::string path, Options& root)
      : node_(node), path_(std::move(path)), root_(root) {}

  /// Throws ConfigError if the configuration has a key for which no field asked. A key of a type
  /// that an override has replaced is left out, with a note.
  void expect_no_other_keys() const {
    for (const auto& [key, value] : node_.entries) {
      if (known_.contains(key)) continue;
      const auto foreign = foreign_.find(key);
      if (foreign == foreign_.end()) throw unknown(key, value);
      const std::string message =
          fmt::format("{}: {} {}", value.key_where, quote(path_ + key), foreign->second);
      if (!type_overridden_ || has_override(value)) throw ConfigError(message);
      log().info("{}; left out", message);
    }
  }

  void boolean(std::string_view name, bool& value, std::string_view) override {
    const ConfigNode* node = take(name);
    if (node == nullptr) return;
    if (node->kind != ConfigNode::Kind::scalar || node->quoted ||
        (node->scalar != "true" && node->scalar != "false"))
      fail(*node, name, "true or false");
    value = node->scalar == "true";
  }

  void integer(std::string_view name, std::int64_t& value, std::string_view,
               Limits limits) override {
    if (const ConfigNode* node = take(name)) value = integer_of(*node, name, limits);
  }

  void number(std::string_view name, double& value, std::string_view, Limits limits) override {
    if (const ConfigNode* node = take(name)) value = number_of(*node, name, limits);
  }

  void optional_number(std::string_view name, std::optional<double>& value, std::string_view,
                       Limits limits) override {
    const ConfigNode* node = take(name);
    if (node == nullptr) return;
    if (node->kind == ConfigNode::Kind::empty)
      value.reset();
    else
      value = number_of(*node, name, limits, "a number or null");
  }

  void text(std::string_view name, std::string& value, std::string_view) override {
    if (const ConfigNode* node = take(name)) value = text_of(*node, name);
  }

  void word(std::string_view name, std::string& value, std::string_view,
            const std::vector<std::string>& words) override {
    const ConfigNode* node = take(name);
    if (node == nullptr) return;
    const std::string found = text_of(*node, name);
    if (std::find(words.begin(), words.end(), found) == words.end())
      fail_name(*node, name, found, words);
    value = found;
  }

  void integers(std::string_view name, std::vector<std::int64_t>& values, std::string_view,
                Limits limits) override {
    read_list(name, values, "a list of whole numbers",
              [&](const ConfigNode& item) { return integer_of(item, name, limits); });
  }

  void numbers(std::string_view name, std::vector<double>& values, std::string_view,
               Limits limits) override {
    read_list(name, values, "a list of numbers",
              [&](const ConfigNode& item) { return number_of(item, name, limits); });
  }

  void texts(std::string_view name, std::vector<std::string>& values, std::string_view) override {
    read_list(name, values, "a list of names",
              [&](const ConfigNode& item) { return text_of(item, name); });
  }

  void section(std::string_view name, Options& options, std::string_view) override {
    if (const ConfigNode* node = take(name)) {
      expect_section(*node, name);
      if (!node->plain.empty()) fail(node->plain.front(), name, "a section");
      Reader reader(*node, fmt::format("{}{}.", path_, name), root_);
      options.fields(reader);
      reader.expect_no_other_keys();
    }
  }

  void choice(std::string_view name, Choice& choice, std::string_view) override {
    if (const ConfigNode* node = take(name)) read_choice(*node, name, choice);
  }

  void choices(std::string_view name, std::vector<Choice>& choices,
               const std::vector<OptionType>& table, std::string_view) override {
    read_list(name, choices, "a list of sections", [&](const ConfigNode& item) {
      Choice choice(table, table.front().name);
      read_choice(item, fmt::format("{}[{}]", name, choices.size()), choice);
      return choice;
    });
  }

  void inline_choice(Choice& choice, std::string_view) override {
    if (const ConfigNode* type = take(choice.key)) {
      select(choice, *type, choice.key);
      type_overridden_ |= type->overridden;
    }
    choice.options->fields(*this);
    note_foreign_keys(choice);
  }

 private:
  const ConfigNode* take(std::string_view name) {
    known_.insert(std::string(name));
    return node_.find(name);
  }

  void expect_section(const ConfigNode& node, std::string_view name) const {
    if (node.kind != ConfigNode::Kind::map && node.kind != ConfigNode::Kind::empty)
      fail(node, name, "a section");
  }

  void read_choice(const ConfigNode& node, std::string_view name, Choice& choice) const {
    // A choice without further options may be written as its type alone: `optimizer: adam`.
    if (node.kind == ConfigNode::Kind::scalar) {
      select(choice, node, name);
      return;
    }
    expect_section(node, name);
    Reader reader(node, fmt::format("{}{}.", path_, name), root_);
    if (const ConfigNode* type = reader.take(choice.key)) {
      reader.select(choice, *type, choice.key);
      reader.type_overridden_ = type->overridden;
    } else if (!node.plain.empty()) {
      select(choice, node.plain.front(), name);
    }
    choice.options->fields(reader);
    if (std::ranges::any_of(node.entries,
                            [&](const auto& e) { return !reader.known_.contains(e.key); }))
      reader.note_foreign_keys(choice);
    reader.expect_no_other_keys();
  }

  /// Notes the keys of types that were not chosen, which deserve a better message than "unknown
  /// key".
  void note_foreign_keys(const Choice& choice) {
    for (const OptionType& type : *choice.types) {
      const ConfigNode nothing;
      Reader reader(nothing, "", root_);
      type.make()->fields(reader);
      for (const std::string& key : reader.known_)
        foreign_.try_emplace(key, fmt::format("goes with {0}{1} '{2}', but {0}{1} is '{3}'", path_,
                                              choice.key, type.name, choice.type));
    }
  }

  ConfigError unknown(const std::string& key, const ConfigNode& value) const {
    const std::vector<std::string> names(known_.begin(), known_.end());
    std::string near = option_called(key, root_);
    if (near.empty())
      if (const std::string name = nearest_name(key, names); !name.empty()) near = path_ + name;
    return ConfigError(
        fmt::format("{}: unknown key {}; {}", value.key_where, quote(path_ + key),
                    !near.empty()   ? fmt::format("did you mean '{}'?", near)
                    : names.empty() ? "expected no keys"
                                    : fmt::format("expected one of {}", fmt::join(names, ", "))));
  }

  void select(Choice& choice, const ConfigNode& node, std::string_view name) const {
    const std::string type = text_of(node, name);
    if (type == choice.type || choice.select(type)) return;
    std::vector<std::string> names;
    for (const OptionType& known : *choice.types) names.push_back(known.name);
    fail_name(node, name, type, names);
  }

  [[noreturn]] void fail(const ConfigNode& node, std::string_view name,
                         std::string_view expected) const {
    throw ConfigError(
        fmt::format("{}: {}{} is {}; expected {}", node.where, path_, name, shown(node), expected));
  }

  [[noreturn]] void fail_name(const ConfigNode& node, std::string_view name,
                              const std::string& found,
                              const std::vector<std::string>& names) const {
    const std::string near = nearest_name(found, names);
    fail(node, name,
         fmt::format("one of {}{}", fmt::join(names, ", "),
                     near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  }

  double number_of(const ConfigNode& node, std::string_view name, const Limits& limits,
                   std::string_view expected = "a number") const {
    const auto value = to_number(node);
    if (!value) fail(node, name, expected);
    if (!limits.contain(*value)) fail(node, name, to_string(limits));
    return *value;
  }

  std::int64_t integer_of(const ConfigNode& node, std::string_view name,
                          const Limits& limits) const {
    const auto value = to_whole_number(node);
    if (!value) fail(node, name, "a whole number");
    if (!limits.contain(*value))
      fail(node, name, fmt::format("a whole number {}", to_string(limits)));
    if (!std::isfinite(*value))
      fail(node, name, fmt::format("a whole number between -{0} and {0}", largest_integer));
    return static_cast<std::int64_t>(*value);
  }

  std::string text_of(const ConfigNode& node, std::string_view name) const {
    if (node.kind != ConfigNode::Kind::scalar) fail(node, name, "a name");
    return node.scalar;
  }

  template <class T, class Read>
  void read_list(std::string_view name, std::vector<T>& values, std::string_view expected,
                 Read read) {
    const ConfigNode* node = take(name);
    if (node == nullptr) return;
    values.clear();
    if (node->kind == ConfigNode::Kind::scalar) {
      values.push_back(read(*node));  // one value counts as a list of one
      return;
    }
    if (node->kind != ConfigNode::Kind::list) fail(*node, name, expected);
    for (const ConfigNode& item : node->items) values.push_back(read(item));
  }

  const ConfigNode& node_;
  std::string path_;  // "optimizer." inside that section
  Options& root_;
  std::set<std::string> known_;
  std::map<std::string, std::string> foreign_;  // keys of types not chosen, and why not here
  bool type_overridden_ = false;                // an override chose the type of this section
};

}  // namespace

void read_options(const ConfigNode& from, Options& into) {
  Reader reader(from, "", into);
  into.fields(reader);
  reader.expect_no_other_keys();
}

}  // namespace ultr
