#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "base/npy.h"
#include "data/log/session_log.h"

namespace ultr {

/// Writes a click log piece by piece as columns that can be memory-mapped (data/columns/columns.h).
/// The log may be larger than memory. Each document is displayed at its rank.
class ClickColumns {
 public:
  /// `folder` must exist. `lists` and `documents` are the numbers that will be added in all.
  /// `dictionary_id` is that of the dictionary whose rows the log has (PairDictionary::id). With
  /// `ids`, documents.npy has the rows as document ids; a folder with a dictionary does not need
  /// it. Throws DataError if the files cannot be written.
  ClickColumns(const std::filesystem::path& folder, std::size_t lists, std::size_t documents,
               std::uint64_t dictionary_id, bool ids);
  /// Appends the lists of a log. Throws DataError if they cannot be written.
  void add(const SessionLog& log);
  /// Completes the files, which appear now. Throws Error if other numbers of lists or documents
  /// were added than announced, DataError if the files cannot be written.
  void finish();

 private:
  NpyStream<std::int64_t> offsets_;
  NpyStream<std::uint64_t> queries_;
  NpyStream<std::uint32_t> pairs_;
  NpyStream<std::uint8_t> clicks_;
  std::optional<NpyStream<std::uint64_t>> documents_;
  std::int64_t written_ = 0;  // documents added so far
};

/// Writes a dictionary as PairDictionary::load reads it to an existing folder, without building it
/// in memory. It has `rows` rows, of which row 0 is the unknown pair; `query` and `document` return
/// the ids of the others. Returns the dictionary's id. Throws DataError if the files cannot be
/// written.
std::uint64_t write_dictionary(const std::filesystem::path& folder, std::uint64_t rows,
                               const std::function<std::uint64_t(std::uint64_t row)>& query,
                               const std::function<std::uint64_t(std::uint64_t row)>& document);

}  // namespace ultr
