#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "base/npy.h"
#include "data/log/session_log.h"

namespace ultr {

/// Writes a click log piece by piece as columns that lie ready for training
/// (data/columns/columns.h), for logs of any size. Each document is displayed at its rank.
class ClickColumns {
 public:
  /// `folder`: one that is there; lists and documents: how many it will have; dictionary_id: of the
  /// dictionary whose rows documents have (PairDictionary::id). With `ids`, documents.npy has their
  /// rows as ids; a folder with a dictionary does without. Throws DataError if it cannot be
  /// written.
  ClickColumns(const std::filesystem::path& folder, std::size_t lists, std::size_t documents,
               std::uint64_t dictionary_id, bool ids);
  /// Appends the lists of a log. Throws DataError if they cannot be written.
  void add(const SessionLog& log);
  /// The columns are there from now on. Throws Error if there are not as many lists and documents
  /// as there should be, DataError if they could not be written.
  void finish();

 private:
  NpyStream<std::int64_t> offsets_;
  NpyStream<std::uint64_t> queries_;
  NpyStream<std::uint32_t> pairs_;
  NpyStream<std::uint8_t> clicks_;
  std::optional<NpyStream<std::uint64_t>> documents_;
  std::int64_t written_ = 0;  // documents
};

/// Writes the files of a dictionary (PairDictionary::load) of `rows` rows into a folder without
/// making it: `query` and `document` give the ids of rows from 1 on. Returns its id. Throws
/// DataError if they cannot be written.
std::uint64_t write_dictionary(const std::filesystem::path& folder, std::uint64_t rows,
                               const std::function<std::uint64_t(std::uint64_t row)>& query,
                               const std::function<std::uint64_t(std::uint64_t row)>& document);

}  // namespace ultr
