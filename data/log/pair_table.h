#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/zeroed_array.h"

namespace ultr {

/// An exact map from query-document pairs to rows, in bounded memory.
///
/// A hash table (open addressing) of queries, each with a block of cache lines for its documents.
/// The documents of a list are adjacent, so that looking up ten of them reads a few cache lines
/// instead of ten.
class PairTable {
 public:
  /// `most_bytes`: the memory limit. A pair takes 15 to 40 bytes if its query has ten documents or
  /// more, 100 bytes if it has one. A dozen pairs always fit.
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
  /// Maps a hash to a place in a table of any size: the upper 64 bits of hash * size.
  static std::size_t place_of(std::uint64_t hash, std::size_t size) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>(static_cast<Wide>(hash) * size >> 64);
  }

  /// Prefetches the memory that prefetch_documents reads. Always inline, as KeyIndex::prefetch.
  [[gnu::always_inline]] void prefetch(std::uint64_t query) const {
    __builtin_prefetch(&queries_[place_of(query)]);
  }
  /// Prefetches the memory that a lookup of these documents reads.
  void prefetch_documents(std::uint64_t query, std::span<const std::uint64_t> documents) const;

  /// Finds the row of each document of a list, 0 for pairs that are not in the table.
  void find(std::uint64_t query, std::span<const std::uint64_t> documents,
            std::span<std::uint32_t> rows) const;
  /// Finds the row of each document of a list and adds new pairs with rows `next`, next + 1, ....
  /// Returns the next free row. Once a pair does not fit, or its row would exceed 2^32 - 1, its row
  /// is 0 and the table adds nothing any more. `next`: above 0.
  std::uint64_t find_or_add(std::uint64_t query, std::span<const std::uint64_t> documents,
                            std::uint64_t next, std::span<std::uint32_t> rows);
  /// Removes all pairs and frees their memory.
  void clear();

 private:
  /// A query and its block. A place without documents is free.
  struct Query {
    std::uint64_t id;
    std::uint32_t line;       // first cache line of the block in words_
    std::uint32_t documents;  // their number determines the block's level, log2 of its lines
  };
  static constexpr std::size_t levels = 32;

  std::size_t place_of(std::uint64_t query) const { return place_of(hash(query), queries_.size()); }
  /// Returns the place of a query, or the free place where it belongs.
  std::size_t find_query(std::uint64_t query) const;

  /// Grows the table of queries if necessary. Returns false if there is no memory for that.
  bool has_room_for_query();
  /// Adds a document at the place of its query. Returns false if there is no memory for it.
  bool add(Query& at, std::uint64_t query, std::uint64_t document, std::uint32_t row);
  /// Moves the block to the lines that one more document needs. Returns false if there are none.
  bool move_block(Query& at);
  /// Returns the first line of an unused block of a level; nothing if there is no memory for it.
  std::optional<std::uint32_t> allot(std::size_t level);

  std::size_t most_bytes_;
  bool full_ = false;
  std::size_t known_queries_ = 0;
  ZeroedArray<Query> queries_;
  ZeroedArray<std::uint64_t> words_;  // of all blocks
  std::size_t used_lines_ = 0;
  std::array<std::uint32_t, levels> free_{};  // head of the list of free blocks of each level
};

}  // namespace ultr
