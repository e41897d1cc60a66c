#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "data/log/session_log.h"
#include "data/text/raw_log.h"
#include "options/fields.h"

namespace ultr {

/// A memory-mapped click log, its documents numbered by a dictionary.
struct MappedLog {
  SessionLog log{};
  std::uint64_t dictionary_id = 0;  // PairDictionary::id
  std::uint32_t largest_row = 0;    // largest row of a document
};

/// Functions that memory-map click logs instead of reading them (LogReader).
struct LogMapper {
  /// Returns true if a file can be mapped. Empty if no file of the format can.
  std::function<bool(const std::filesystem::path& file)> is_mappable{};
  /// Maps a file for which is_mappable is true. Returns nothing, and sets `why`, if the file must
  /// be read instead: lists must be cut or skipped, or there are none. Throws DataError if the file
  /// is malformed.
  std::function<std::optional<MappedLog>(const std::filesystem::path& file, const ReadRules& rules,
                                         std::string& why)>
      map{};
};

/// A file format of click logs, with its options.
class LogFormat : public Options {
 public:
  /// Returns a reader with these options.
  virtual LogReader reader() const = 0;
  /// Returns functions that memory-map files instead of reading them; empty if the format has none.
  virtual LogMapper mapper() const { return {}; }
  /// Returns the default of the option max_positions.
  virtual std::int64_t usual_positions() const { return 10; }
  /// Returns true if lists may also have features, which conversion then keeps.
  virtual bool may_have_features() const { return false; }
  /// Returns the number of features per document.
  virtual std::size_t features() const { return 0; }
};

/// A registered format of click logs.
struct ReaderType {
  std::string name;  // data.format in a configuration
  std::string help;
  std::function<std::unique_ptr<LogFormat>()> make;

  /// A format with its own options; `make_format` returns it with their defaults.
  ReaderType(std::string type_name, std::string type_help,
             std::function<std::unique_ptr<LogFormat>()> make_format);
  /// A format without options; `map` maps its files that need no reading.
  ReaderType(std::string type_name, std::string type_help, LogReader read, LogMapper map = {});
};

}  // namespace ultr
