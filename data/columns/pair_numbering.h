#pragma once

#include <fmt/core.h>

#include "base/files/npy.h"
#include "data/columns/pair_column_writer.h"
#include "data/log/pair_dictionary.h"
#include "data/log/pair_lookups.h"
#include "data/log/pair_table.h"

namespace ultr {

/// Numbers the query-document pairs of a click log 1, 2, ... in the order in which they first
/// appear, exactly as PairDictionary::add does, but in bounded memory, and writes a new dictionary.
///
/// Pairs are looked up in a table until it is full. From then on, pairs that the table lacks are
/// distributed over parts on the disk by a hash of their query, so that equal pairs are in the same
/// part. Each part is then numbered by itself in the same way. Its own parts are split by a hash of
/// the pair, theirs by a hash of the query again, and so on in turns. In the end the rows of the
/// parts are filled in where they are missing.
class PairNumbering final : public PairColumnWriter {
 public:
  /// `folder`: an existing folder. `memory`: bytes of the table. Buffers take 10 MB more, and as
  /// much again per level of nested parts. Filling in the rows of a part takes 4 bytes per pair for
  /// about 1/32 of all pairs. Temporary files in the folder take about 25 bytes per document that
  /// the table lacks. Throws DataError if files cannot be written; nothing may be added after an
  /// error.
  PairNumbering(const std::filesystem::path& folder, std::size_t memory)
      : PairNumbering(folder, memory, 0) {}
  ~PairNumbering() override;
  PairNumbering(const PairNumbering&) = delete;
  PairNumbering& operator=(const PairNumbering&) = delete;

  /// Throws DataError if a pair would get row 2^32 or files cannot be written, as does `finish`.
  void add(const ListIds& lists) override {
    look_up_pairs(table_, lists,
                  [this](std::uint64_t query, auto ids, auto rows) { number(query, ids, rows); });
  }
  void finish(const std::function<void()>& check) override;
  std::uint64_t documents() const override { return rows_.size(); }
  std::string summary() const override { return fmt::format("{} pairs", pairs_); }
  bool keeps_ids() const override { return true; }
  /// Number of pairs numbered so far; after `finish`, of all pairs.
  std::uint64_t pairs() const { return pairs_; }

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
  NpyStream<std::uint32_t> rows_;  // 0 for a document whose pair is in a part
  NpyStream<std::uint64_t> queries_, documents_;
  std::uint64_t pairs_ = 0;
  PairDictionaryId id_;
  std::unique_ptr<Overflow> overflow_;
};

}  // namespace ultr
