#pragma once

#include <string_view>
#include <vector>

#include "data/log_format.h"

namespace ultr {

/// All formats of click logs, each a LogFormat; the name is data.format in a configuration.
const std::vector<OptionType>& reader_types();

/// Reads a format of the table with its default options. Throws Error if there is no such format.
LogReader log_reader(std::string_view format);

}  // namespace ultr
