#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/column.h"
#include "data/log/pair_table.h"

namespace ultr {

/// Tells dictionaries apart: a number that depends on all pairs and their order.
class PairDictionaryId {
 public:
  /// The next row has this pair.
  void add(std::uint64_t query, std::uint64_t document);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// Numbers query-document pairs: 1, 2, ... in the order in which training data shows them. Row 0
/// stands for every pair that it never shows.
///
/// Or gives each pair one of a fixed number of rows by a hash, which takes no memory: pairs may
/// share a row, and which pair a row was is not known.
class PairDictionary {
 public:
  static constexpr std::uint32_t unknown = 0;
  static constexpr const char *query_file = "dictionary.query.npy",
                              *document_file = "dictionary.document.npy",
                              *hash_file = "dictionary.hash.npy";

  /// No pair.
  PairDictionary() = default;
  /// Rows by a hash: 1 to `rows` - 1. Throws DataError unless there are 2 to 2^32 rows.
  static PairDictionary hashed(std::int64_t rows);

  /// The row of a pair, a new one if need be. Throws DataError if there are 2^32 pairs.
  std::uint32_t add(std::uint64_t query, std::uint64_t document);
  /// The same of each document of a list, which is faster.
  void add(std::uint64_t query, std::span<const std::uint64_t> documents,
           std::span<std::uint32_t> rows);
  /// The row of a pair, `unknown` if it was not added. Throws Error if the dictionary was mapped
  /// and has no index.
  std::uint32_t find(std::uint64_t query, std::uint64_t document) const;
  /// The same of each document of a list, which is faster.
  void find(std::uint64_t query, std::span<const std::uint64_t> documents,
            std::span<std::uint32_t> rows) const;
  /// Rows of a table for it, the unknown one included.
  std::int64_t rows() const;
  /// Whether rows are hashes.
  bool is_hashed() const { return hash_rows_.has_value(); }
  /// Of equal dictionaries the same, of others most probably not (PairDictionaryId).
  std::uint64_t id() const;

  /// Ids of row 0, 1, ...; those of row 0 are 0. Throw DataError if the dictionary is hashed.
  std::vector<std::uint64_t> queries() const;
  std::vector<std::uint64_t> documents() const;

  /// Writes query_file and document_file (uint64, an entry a row), or hash_file (uint64, the number
  /// of rows) if it is hashed.
  void save(const std::filesystem::path& folder) const;
  /// Whether a folder has the files of a dictionary.
  static bool lies_in(const std::filesystem::path& folder);
  /// Throws DataError if the files are missing or do not fit each other.
  static PairDictionary load(const std::filesystem::path& folder);
  /// The same without taking memory: the files stay where they are, and must stay as they are, and
  /// pairs cannot be looked up. Nor are they looked at one by one: the id is that of
  /// dictionary_id_file if there is one.
  static PairDictionary map(const std::filesystem::path& folder);
  /// Makes a mapped dictionary one that was loaded; nothing if it is one. Throws DataError if a
  /// pair is there twice.
  void index();

 private:
  struct Pair {
    std::uint64_t query, document;
  };
  /// The files of a dictionary that was mapped.
  struct Mapped {
    std::filesystem::path folder;
    Column<std::uint64_t> queries, documents;
    std::optional<std::uint64_t> id{};  // if it has a file of its own
  };
  PairTable numbers_{std::numeric_limits<std::size_t>::max()};
  std::vector<Pair> pairs_;  // of row 1, 2, ...
  PairDictionaryId id_;
  std::optional<Mapped> mapped_;
  std::optional<std::uint64_t> hash_rows_;
};

/// The file of a folder's columns with the row of each document's pair.
inline constexpr const char* pairs_file = "pairs.npy";

/// The file that names the dictionary whose rows a folder's columns have: its id (uint64, one
/// entry).
inline constexpr const char* dictionary_id_file = "dictionary.id.npy";

/// Reads it. Throws DataError if it is missing or has not one entry.
std::uint64_t read_dictionary_id(const std::filesystem::path& folder);
/// Throws DataError if it cannot be written.
void write_dictionary_id(const std::filesystem::path& folder, std::uint64_t id);

}  // namespace ultr
