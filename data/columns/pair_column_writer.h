#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "data/log/list_ids.h"

namespace ultr {

/// Writes, in bounded memory, the pairs.npy of a click log: for each document, the row of its
/// query-document pair in a dictionary. Also writes what the folder needs to know about the
/// dictionary (data/log/pair_dictionary.h).
class PairColumnWriter {
 public:
  virtual ~PairColumnWriter() = default;

  /// Appends the documents of the next lists. Throws DataError if files cannot be written.
  virtual void add(const ListIds& lists) = 0;
  /// Completes the files and gives them their names. Calls `check` now and then; an exception from
  /// it aborts the work. Throws DataError if files cannot be written.
  virtual void finish(const std::function<void()>& check) = 0;
  /// Number of documents added. Valid after `finish`.
  virtual std::uint64_t documents() const = 0;
  /// A summary for the user, such as "205 pairs". Valid after `finish`.
  virtual std::string summary() const = 0;
  /// True if the dictionary in the folder has the ids of all documents.
  virtual bool keeps_ids() const = 0;
};

/// Takes rows from a hash (PairDictionary::hashed). The summary counts collisions: documents whose
/// row was first used by another pair. Counting takes 4 bytes per row and misses about one
/// collision in 2^32. Throws DataError unless there are 2 to 2^32 rows.
std::unique_ptr<PairColumnWriter> hashed_pairs(const std::filesystem::path& folder,
                                               std::int64_t rows);

/// Takes rows from the dictionary in a folder; pairs that it lacks get row 0. For validation and
/// test sessions. An exact dictionary is loaded into a PairTable, a hashed one takes no memory.
/// Calls `check` now and then while it reads the dictionary; an exception from it aborts the work.
/// Throws DataError if there is no dictionary or it is damaged.
std::unique_ptr<PairColumnWriter> known_pairs(const std::filesystem::path& folder,
                                              const std::filesystem::path& dictionary,
                                              const std::function<void()>& check = {});

}  // namespace ultr
