#include "options/field_describer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/config_tree.h"
#include "options/write.h"

namespace ultr {
namespace {

/// Returns the limits with `before` in front, or nothing if every number is accepted.
std::string limited(std::string_view before, const Limits& limits) {
  const std::string words = to_string(limits);
  return words == to_string(Limits{}) ? "" : std::string(before) + words;
}

template <class T>
std::string list_of(const std::vector<T>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

ConfigNode written(Options& options) { return parse_config(write_options(options), "options"); }

}  // namespace

void FieldDescriber::boolean(std::string_view name, bool& value, std::string_view help) {
  field(name, "true or false", fmt::format("{}", value), help);
}

void FieldDescriber::integer(std::string_view name, std::int64_t& value, std::string_view help,
                             Limits limits) {
  field(name, "whole number" + limited(", ", limits), fmt::format("{}", value), help);
}

void FieldDescriber::number(std::string_view name, double& value, std::string_view help,
                            Limits limits) {
  field(name, "number" + limited(", ", limits), fmt::format("{}", value), help);
}

void FieldDescriber::optional_number(std::string_view name, std::optional<double>& value,
                                     std::string_view help, Limits limits) {
  field(name, "number" + limited(", ", limits) + ", or null",
        value ? fmt::format("{}", *value) : "null", help);
}

void FieldDescriber::text(std::string_view name, std::string& value, std::string_view help) {
  field(name, "text", value, help);
}

void FieldDescriber::word(std::string_view name, std::string& value, std::string_view help,
                          const std::vector<std::string>& words) {
  field(name, fmt::format("{}", fmt::join(words, " | ")), value, help);
}

void FieldDescriber::integers(std::string_view name, std::vector<std::int64_t>& values,
                              std::string_view help, Limits limits) {
  field(name, "list of whole numbers" + limited(", each ", limits), list_of(values), help);
}

void FieldDescriber::numbers(std::string_view name, std::vector<double>& values,
                             std::string_view help, Limits limits) {
  field(name, "list of numbers" + limited(", each ", limits), list_of(values), help);
}

void FieldDescriber::texts(std::string_view name, std::vector<std::string>& values,
                           std::string_view help) {
  field(name, "list of names", list_of(values), help);
}

std::string names_of(const std::vector<OptionType>& types) {
  std::string names;
  for (const OptionType& type : types) names += (names.empty() ? "" : " | ") + type.name;
  return names;
}

std::string value_of(Choice& choice) {
  Choice plain(*choice.types, choice.type, choice.key);
  const ConfigNode ours = written(*choice.options), defaults = written(*plain.options);
  std::string changed;
  for (const ConfigNode::Entry& entry : ours.entries) {
    const std::string value = one_line_yaml(entry.value);
    const ConfigNode* const usual = defaults.find(entry.key);
    if (usual == nullptr || one_line_yaml(*usual) != value)
      changed += fmt::format(", {}: {}", entry.key, value);
  }
  return changed.empty() ? choice.type
                         : fmt::format("{{{}: {}{}}}", choice.key, choice.type, changed);
}

std::string value_of(const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const Choice& choice : choices) names.push_back(choice.type);
  return list_of(names);
}

}  // namespace ultr
