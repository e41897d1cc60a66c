#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/files/column.h"
#include "data/log/id_names.h"
#include "data/log/pair_table.h"

namespace ultr {

class ListIds;

/// A fingerprint that tells dictionaries apart: it depends on all pairs and their order.
class PairDictionaryId {
 public:
  /// Adds the pair of the next row.
  void add(std::uint64_t query, std::uint64_t document);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// A dictionary that maps query-document pairs to the rows of tables. An exact dictionary numbers
/// pairs 1, 2, ... in the order in which training data first shows them. Row 0 stands for every
/// pair that training data never shows.
///
/// A hashed dictionary maps each pair to one of a fixed number of rows by a hash. It takes no
/// memory, but pairs may share a row, and the pairs of a row cannot be listed.
class PairDictionary {
 public:
  static constexpr std::uint32_t unknown = 0;
  static constexpr const char *query_file = "dictionary.query.npy",
                              *document_file = "dictionary.document.npy",
                              *hash_file = "dictionary.hash.npy";

  /// Makes an exact dictionary without pairs.
  PairDictionary() = default;
  /// Makes a hashed dictionary, whose pairs get rows 1 to `rows` - 1. Throws DataError unless there
  /// are 2 to 2^32 rows.
  static PairDictionary hashed(std::int64_t rows);

  /// Returns the row of a pair, a new row if the pair is new. Throws DataError if that would be row
  /// 2^32.
  std::uint32_t add(std::uint64_t query, std::uint64_t document);
  /// Adds each document of a list, which is faster than one by one. `rows`: as long as `documents`.
  void add(std::uint64_t query, std::span<const std::uint64_t> documents,
           std::span<std::uint32_t> rows);
  /// Adds each document of some lists, which is faster than list by list, and appends its row to
  /// `rows`.
  void add(const ListIds& lists, std::vector<std::uint32_t>& rows);
  /// Returns the row of a pair, `unknown` if it was not added. Throws Error if the dictionary is
  /// mapped and has no index.
  std::uint32_t find(std::uint64_t query, std::uint64_t document) const;
  /// Finds each document of a list, which is faster than one by one. `rows`: as long as
  /// `documents`.
  void find(std::uint64_t query, std::span<const std::uint64_t> documents,
            std::span<std::uint32_t> rows) const;
  /// Finds each document of some lists, which is faster than list by list, and appends its row to
  /// `rows`.
  void find(const ListIds& lists, std::vector<std::uint32_t>& rows) const;
  /// Number of rows that a table for this dictionary needs, the unknown row included.
  std::int64_t rows() const;
  bool is_hashed() const { return hash_rows_.has_value(); }
  /// A fingerprint: equal for equal dictionaries, most probably different for others
  /// (PairDictionaryId).
  std::uint64_t id() const;
  /// True if the first rows are those of another dictionary, or all are.
  bool begins_with(const PairDictionary& other) const;

  /// Ids of rows 0, 1, ...; row 0 has id 0. Throw DataError if the dictionary is hashed.
  std::vector<std::uint64_t> queries() const;
  std::vector<std::uint64_t> documents() const;

  /// Names of queries and documents whose ids are texts. There may be more names than pairs, such
  /// as those of test data, and the id of the dictionary does not depend on them.
  IdNames& names() { return names_; }
  const IdNames& names() const { return names_; }

  /// Writes query_file and document_file (uint64, one entry per row) or, for a hashed dictionary,
  /// hash_file (uint64, the number of rows), and names if there are any (IdNames::save). Throws
  /// DataError if they cannot be written.
  void save(const std::filesystem::path& folder) const;
  /// True if the folder has the files of a dictionary.
  static bool exists_in(const std::filesystem::path& folder);
  /// Reads a dictionary and indexes its pairs. Throws DataError if files are missing or
  /// inconsistent, or a pair occurs twice.
  static PairDictionary load(const std::filesystem::path& folder);
  /// Memory-maps a dictionary: only its names take memory, and pairs cannot be looked up. The files
  /// must not change while it is used. Pairs are not inspected: the id is that of
  /// dictionary_id_file if there is one. Throws DataError if files are missing or inconsistent.
  static PairDictionary map(const std::filesystem::path& folder);
  /// Turns a mapped dictionary into a loaded one; does nothing to others. Throws DataError if a
  /// pair occurs twice.
  void index();
  /// Returns a table of the rows of a mapped exact dictionary; empty for others. Releases the
  /// memory of the files and calls `check` now and then; an exception from it aborts the work.
  /// Throws DataError if a pair occurs twice.
  PairTable table(const std::function<void()>& check = {}) const;

 private:
  /// The files of a mapped dictionary.
  struct Mapped {
    std::filesystem::path folder;
    Column<std::uint64_t> queries, documents;
    std::optional<std::uint64_t> id{};  // from dictionary_id_file, if there is one
  };
  PairTable table_{std::numeric_limits<std::size_t>::max()};
  std::vector<std::uint64_t> queries_ = {0}, documents_ = {0};  // ids of rows 0, 1, ...
  PairDictionaryId id_;
  std::optional<Mapped> mapped_;
  std::optional<std::uint64_t> hash_rows_;
  IdNames names_;
};

/// Writes a dictionary as PairDictionary::load reads it to an existing folder, without building it
/// in memory. It has `rows` rows, of which row 0 is the unknown pair; `query` and `document` return
/// the ids of the others. Returns the dictionary's id. Throws DataError if the files cannot be
/// written.
std::uint64_t write_dictionary(const std::filesystem::path& folder, std::uint64_t rows,
                               const std::function<std::uint64_t(std::uint64_t row)>& query,
                               const std::function<std::uint64_t(std::uint64_t row)>& document);

/// The column file with the dictionary row of each document's pair.
inline constexpr const char* pairs_file = "pairs.npy";

/// The file with the id of the dictionary that pairs_file refers to (uint64, one entry).
inline constexpr const char* dictionary_id_file = "dictionary.id.npy";

/// Reads dictionary_id_file. Throws DataError if it is missing or does not have exactly one entry.
std::uint64_t read_dictionary_id(const std::filesystem::path& folder);
/// Writes dictionary_id_file. Throws DataError if it cannot be written.
void write_dictionary_id(const std::filesystem::path& folder, std::uint64_t id);

}  // namespace ultr
