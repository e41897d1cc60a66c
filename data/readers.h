#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/log_format.h"

namespace ultr {

/// A format of click logs.
struct ReaderType {
  std::string name;  // data.format in a configuration
  std::string help;
  std::function<std::unique_ptr<LogFormat>()> make;

  /// A format with options of its own: `make` gives it with their defaults.
  ReaderType(std::string type_name, std::string type_help,
             std::function<std::unique_ptr<LogFormat>()> make_format);
  /// A format without options.
  ReaderType(std::string type_name, std::string type_help, LogReader read);
};

/// All formats of click logs.
const std::vector<ReaderType>& reader_types();

/// Reads a format of the table with its default options. Throws Error if there is no such format.
LogReader log_reader(std::string_view format);

}  // namespace ultr
