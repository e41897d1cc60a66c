#pragma once

#include <string>
#include <vector>

#include "options/config_tree.h"

/// Reading the parts of a study, whose keys are partly names that it makes up, so that they are no
/// Options.
namespace ultr {

/// The entries of a map. Throws ConfigError if it is none.
const std::vector<ConfigNode::Entry>& study_map(const ConfigNode& node, std::string_view what);

/// Throws ConfigError for a key that is not known, with the nearest one that is.
void expect_study_keys(const ConfigNode& node, const std::vector<std::string>& known,
                       std::string_view what);

/// The text at a key, or else the default; without one it must be there. Throws ConfigError.
std::string study_text(const ConfigNode& node, std::string_view key);
std::string study_text(const ConfigNode& node, std::string_view key, const std::string& otherwise);

/// A list of texts; a text alone is a list of one. Empty if there is no such key.
std::vector<std::string> study_texts(const ConfigNode& node, std::string_view key);

bool study_flag(const ConfigNode& node, std::string_view key);

/// A number within limits, or else the default.
double study_number(const ConfigNode& node, std::string_view key, double otherwise, double low,
                    double high);

}  // namespace ultr
