#pragma once

#include <string_view>
#include <vector>

#include "data/formats/log_format.h"

namespace ultr {

/// All formats of click logs.
const std::vector<ReaderType>& reader_types();

/// All formats of feature lists, by name; each is a FeatureFormat.
const std::vector<OptionType>& feature_formats();

/// Reads a format of the table with its default options. Throws Error if there is no such format.
LogReader log_reader(std::string_view format);

}  // namespace ultr
