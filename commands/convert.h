#pragma once

#include <string>
#include <vector>

#include "options/fields.h"

namespace ultr {

/// What is converted to what.
struct Conversion {
  std::string format;                // of conversion_formats()
  std::vector<std::string> files;    // found as a configuration's data are
  std::string output;                // a new folder of columns
  std::vector<std::string> options;  // of the format, "key=value"
  bool click_log = false;            // of one that has features too, the sessions without them
};

/// All formats that can be converted: the feature formats, and click logs without features.
const std::vector<OptionType>& conversion_formats();

/// Reads files and writes them as a folder of .npy columns (data/columns/columns.h), all of it or
/// nothing, with a progress bar on a terminal and a summary on standard output: click logs as they
/// lie ready for training, in memory that does not grow with them, lists with features as they are.
/// Throws ConfigError for an unknown format or option, DataError for wrong data or an output that
/// is there already, Interrupted if SIGINT or SIGTERM comes.
void convert_dataset(const Conversion& conversion);

}  // namespace ultr
