#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace ultr {

/// Writes pairs.npy of a click log, the row of each document's query-document pair in a dictionary,
/// with what a folder needs to know of the dictionary (data/columns/columns.h), in bounded memory.
class PairColumn {
 public:
  virtual ~PairColumn() = default;

  /// The next documents, of a query. Throws DataError if files cannot be written.
  virtual void add(std::uint64_t query, std::span<const std::uint64_t> documents) = 0;
  /// The files are there from now on. `check` is called now and then; what it throws ends it.
  /// Throws DataError if files cannot be written.
  virtual void finish(const std::function<void()>& check) = 0;
  /// Documents that were added, after `finish`.
  virtual std::uint64_t documents() const = 0;
  /// What to tell the user of it then: "205 pairs".
  virtual std::string summary() const = 0;
  /// Whether the folder has the ids of all documents in its dictionary.
  virtual bool keeps_ids() const = 0;
};

/// A new dictionary, by PairNumbering.
std::unique_ptr<PairColumn> numbered_pairs(const std::filesystem::path& folder, std::size_t memory);

/// Rows by a hash (PairDictionary::hashed). Documents whose row had another pair when it was first
/// used are counted, which takes 4 bytes a row; of pairs that share a row, one in 2^32 are taken
/// for the same. Throws DataError unless there are 2 to 2^32 rows.
std::unique_ptr<PairColumn> hashed_pairs(const std::filesystem::path& folder, std::int64_t rows);

/// Rows of the dictionary in a folder, 0 of pairs that it does not have: for validation and test
/// sessions. An exact one takes the memory of a PairTable, a hashed one none. `check` is called now
/// and then while the dictionary is read; what it throws ends it. Throws DataError if there is no
/// dictionary or it is broken.
std::unique_ptr<PairColumn> known_pairs(const std::filesystem::path& folder,
                                        const std::filesystem::path& dictionary,
                                        const std::function<void()>& check = {});

}  // namespace ultr
