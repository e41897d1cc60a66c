#pragma once

#include <string>
#include <vector>

#include "data/raw_log.h"

namespace ultr {

/// A file format.
struct ReaderType {
  std::string name;  // data.format in a configuration
  std::string help;
  LogReader read;
};

/// All formats of click logs.
const std::vector<ReaderType>& reader_types();

}  // namespace ultr
