#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "data/formats/raw_log.h"
#include "data/log/session_log.h"
#include "options/fields.h"

namespace ultr {

/// A click log that lies ready in mapped files, its documents numbered as a dictionary does.
struct MappedLog {
  SessionLog log{};
  std::uint64_t dictionary_id = 0;  // PairDictionary::id
  std::uint32_t largest_row = 0;    // of a document
};

/// How files of click logs are mapped instead of being read (LogReader).
struct LogMapper {
  /// Whether a file lies ready; null: none of the format does.
  std::function<bool(const std::filesystem::path& file)> lies_ready{};
  /// Maps a file that lies ready; nothing if it must be read, since lists have to be cut or left
  /// out, which `why` then says. Throws DataError if it cannot be right.
  std::function<std::optional<MappedLog>(const std::filesystem::path& file, const ReadRules& rules,
                                         std::string& why)>
      map{};
};

/// A file format of click logs, with its own options.
class LogFormat : public Options {
 public:
  /// Reads files as the options say.
  virtual LogReader reader() const = 0;
  /// Maps files that need no reading; null if this format has none.
  virtual LogMapper mapper() const { return {}; }
};

/// A format of click logs.
struct ReaderType {
  std::string name;  // data.format in a configuration
  std::string help;
  std::function<std::unique_ptr<LogFormat>()> make;

  /// A format with options of its own: `make` gives it with their defaults.
  ReaderType(std::string type_name, std::string type_help,
             std::function<std::unique_ptr<LogFormat>()> make_format);
  /// A format without options; `map` maps its files that need no reading.
  ReaderType(std::string type_name, std::string type_help, LogReader read, LogMapper map = {});
};

}  // namespace ultr
