#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "python/logs/click_log.h"

namespace ultr::python {

/// Writes a log as a CSV file with one row per shown document, which the format `table` reads.
/// `columns` has the names of its columns: session, query, document, position, click and
/// propensity. A column that is also a feature has the feature's values. Throws DataError if the
/// file cannot be written.
void write_log_table(const ClickLog& log, const std::filesystem::path& file,
                     const std::map<std::string, std::string>& columns);

}  // namespace ultr::python
