#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "data/raw_log.h"
#include "data/session_log.h"

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

/// The LogMapper of folders of columns (data/columns.h), of which those with pairs.npy lie ready.
LogMapper columns_mapper();

}  // namespace ultr
