#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/config_tree.h"

/// Reads the parts of a study. They are no Options, because a study makes up some of their keys.
namespace ultr {

/// Returns the entries of a map. Throws ConfigError for other nodes.
const std::vector<ConfigNode::Entry>& study_map(const ConfigNode& node, std::string_view what);

/// Returns "<where>: unknown <kind> '<name>'<place>; did you mean '...'?", with the nearest known
/// name.
std::string unknown_name(const std::string& where, std::string_view kind, const std::string& name,
                         const std::vector<std::string>& known, const std::string& place = "");
/// Throws ConfigError with this message unless the name is known.
void expect_known(const std::string& where, std::string_view kind, const std::string& name,
                  const std::vector<std::string>& known);

/// Throws ConfigError for a key that is not known.
void expect_study_keys(const ConfigNode& node, const std::vector<std::string>& known,
                       std::string_view what);

/// Returns the text at a key, or else the default. Without a default, a missing key is a
/// ConfigError.
std::string study_text(const ConfigNode& node, std::string_view key,
                       const std::optional<std::string>& otherwise = {});

/// Returns a list of texts, in which a text alone is a list of one; empty without the key.
std::vector<std::string> study_texts(const ConfigNode& node, std::string_view key);

/// Returns true or false; false without the key.
bool study_flag(const ConfigNode& node, std::string_view key);

/// Returns a number between `low` and `high`, or the default without the key.
double study_number(const ConfigNode& node, std::string_view key, double otherwise, double low,
                    double high);

}  // namespace ultr
