#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ultr {

/// Options by dotted name in the order of the configuration, such as ("model.type", "pbm"); a list
/// is written in brackets.
using OptionValues = std::vector<std::pair<std::string, std::string>>;

}  // namespace ultr
