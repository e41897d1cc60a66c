#pragma once

#include <string_view>
#include <vector>

#include "data/formats/log_format.h"

namespace ultr {

/// The table of all click-log formats.
const std::vector<ReaderType>& reader_types();

/// The table of all formats of feature lists; the options of each are a FeatureFormat.
const std::vector<OptionType>& feature_formats();

/// Returns the reader of a format of the table, with default options. Throws Error if there is no
/// such format.
LogReader log_reader(std::string_view format);

}  // namespace ultr
