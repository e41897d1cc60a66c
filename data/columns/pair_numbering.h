#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "base/npy.h"
#include "data/log/pair_dictionary.h"
#include "data/log/pair_lookups.h"
#include "data/log/pair_table.h"

namespace ultr {

/// Numbers the query-document pairs of a click log 1, 2, ... in the order in which they first come,
/// exactly as PairDictionary::add does, in bounded memory whatever their number, and writes the
/// rows (pairs.npy) and the dictionary (dictionary.query.npy, dictionary.document.npy).
///
/// Pairs are looked up in a table until it is full. From then on those that it does not have are
/// sorted by a hash of their query into parts on the disk, so that equal pairs meet in one part.
/// Each part is then numbered by itself in the same way, its own parts being sorted by a hash of
/// the pair, and so on in turns; and its rows go where they are missing.
class PairNumbering {
 public:
  /// `folder`: one that is there. `memory`: bytes of the table. Buffers take 10 MB more, and as
  /// much again for each level of parts of parts; when a part is put back, about a thirty-second of
  /// all pairs takes 4 bytes each. Temporary files lie in the folder, about 25 bytes for a document
  /// that the table does not have. Throws DataError if files cannot be written, after which nothing
  /// more may be added.
  PairNumbering(const std::filesystem::path& folder, std::size_t memory)
      : PairNumbering(folder, memory, 0) {}
  ~PairNumbering();
  PairNumbering(const PairNumbering&) = delete;
  PairNumbering& operator=(const PairNumbering&) = delete;

  /// The next documents, of a query. Throws DataError if there are 2^32 pairs (row 0 is
  /// none of them) or files cannot be written.
  void add(std::uint64_t query, std::span<const std::uint64_t> documents) {
    lookups_.add(table_, query, documents,
                 [this](std::uint64_t of, auto ids, auto rows) { number(of, ids, rows); });
  }
  /// The files are there from now on. `check` is called now and then; what it throws ends it.
  /// Throws as `add` does.
  void finish(const std::function<void()>& check = {});

  /// Documents that were added, after `finish`.
  std::uint64_t documents() const { return rows_.size(); }
  /// Pairs that were numbered, all of them after `finish`.
  std::uint64_t pairs() const { return pairs_; }
  /// PairDictionary::id of the dictionary, after `finish`.
  std::uint64_t id() const { return id_.value(); }

 private:
  class Overflow;

  PairNumbering(const std::filesystem::path& folder, std::size_t memory, int level);

  void number(std::uint64_t query, std::span<const std::uint64_t> documents,
              std::span<std::uint32_t> rows);
  std::uint32_t next_row() const;
  void add_pair(std::uint64_t query, std::uint64_t document);
  void number_all(const std::function<void()>& check);

  std::filesystem::path folder_;
  std::size_t memory_;
  int level_;  // 0: the log, 1: a part of it, 2: a part of a part, ...
  PairTable table_;
  PairLookups lookups_;
  NpyStream<std::uint32_t> rows_;  // 0 where they are in a part
  NpyStream<std::uint64_t> queries_, documents_;
  std::uint64_t pairs_ = 0;
  PairDictionaryId id_;
  std::unique_ptr<Overflow> overflow_;
};

}  // namespace ultr
