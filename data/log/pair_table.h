#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/zeroed_array.h"

namespace ultr {

/// Rows of query-document pairs, looked up exactly in memory that is bounded.
///
/// A hash table (open addressing) of queries, each with a block of cache lines for its documents:
/// those of a list lie next to each other, and looking up ten costs a few lines from memory rather
/// than ten.
class PairTable {
 public:
  /// `most_bytes`: what it may take, 15 to 40 a pair of queries with ten documents or more, 100 of
  /// queries with one; there is room for a dozen pairs in any case.
  explicit PairTable(std::size_t most_bytes);

  static std::uint64_t hash(std::uint64_t id) {
    // The mixing step of MurmurHash3.
    id = (id ^ (id >> 33)) * 0xff51afd7ed558ccdu;
    id = (id ^ (id >> 33)) * 0xc4ceb9fe1a85ec53u;
    return id ^ (id >> 33);
  }
  static std::uint64_t hash(std::uint64_t query, std::uint64_t document) {
    return hash(query * 0x9fb21c651e98df25u ^ document);
  }
  /// The upper half of hash * size: a place in a table of any size.
  static std::size_t place_of(std::uint64_t hash, std::size_t size) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>(static_cast<Wide>(hash) * size >> 64);
  }

  /// Asks for the memory that prefetch_documents reads.
  void prefetch(std::uint64_t query) const { __builtin_prefetch(&queries_[place_of(query)]); }
  /// Asks for the memory that a lookup of documents of the query reads.
  void prefetch_documents(std::uint64_t query, std::span<const std::uint64_t> documents) const;

  /// The row of each document of a list; 0 of pairs that are not there.
  void find(std::uint64_t query, std::span<const std::uint64_t> documents,
            std::span<std::uint32_t> rows) const;
  /// The same; pairs that are not there are added with rows `next`, next + 1, ..., and the row for
  /// the one after them is returned. Once there is no room for a pair, or its row would be above
  /// 2^32 - 1, its row is 0 and nothing is added any more. `next`: above 0.
  std::uint64_t find_or_add(std::uint64_t query, std::span<const std::uint64_t> documents,
                            std::uint64_t next, std::span<std::uint32_t> rows);
  /// Gives back its memory; it is empty then.
  void clear();

 private:
  /// A query and its block; a free place if it has no document.
  struct Query {
    std::uint64_t id;
    std::uint32_t line;       // the block's first, a cache line of words_
    std::uint32_t documents;  // they tell the block's level, log2 of its lines
  };
  static constexpr std::size_t levels = 32;

  std::size_t place_of(std::uint64_t query) const { return place_of(hash(query), queries_.size()); }
  /// The place of a query, or the free one where it would be.
  std::size_t find_query(std::uint64_t query) const;

  bool has_room_for_query();
  bool add(Query& at, std::uint64_t query, std::uint64_t document, std::uint32_t row);
  bool move_block(Query& at);
  std::optional<std::uint32_t> allot(std::size_t level);

  std::size_t most_bytes_;
  bool full_ = false;
  std::size_t known_queries_ = 0;
  ZeroedArray<Query> queries_;
  ZeroedArray<std::uint64_t> words_;  // of all blocks
  std::size_t used_lines_ = 0;
  std::array<std::uint32_t, levels> free_{};  // first block of each level that was left
};

}  // namespace ultr
