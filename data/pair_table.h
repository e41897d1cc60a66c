#pragma once

#include <array>
#include <cstdint>

#include "data/zeroed_array.h"

namespace ultr {

/// Rows of query-document pairs, looked up exactly in memory that is bounded: a hash table (open
/// addressing) of buckets of three pairs, which are a cache line, at most three quarters full.
class PairTable {
 public:
  /// Lookups to ask for the memory of before the first of them is made, which then is there.
  static constexpr std::size_t lookups_at_once = 256;

  /// `most_bytes`: what it may take, 29 a pair; there is room for a dozen pairs in any case.
  explicit PairTable(std::size_t most_bytes);

  static std::uint64_t hash(std::uint64_t query, std::uint64_t document) {
    // The mixing step of MurmurHash3.
    std::uint64_t x = query * 0x9fb21c651e98df25u ^ document;
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 33);
  }

  /// Makes room for so many pairs, beyond what it may take too.
  void reserve(std::size_t pairs);
  /// Asks for the memory that a lookup of a pair of that hash reads.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&buckets_[bucket_of(hash)]); }
  /// The row of a pair, which has that hash; 0 if it is not there.
  std::uint32_t find(std::uint64_t hash, std::uint64_t query, std::uint64_t document) const {
    const Place place = find_place(hash, query, document);
    return buckets_[place.bucket].rows[place.slot];
  }
  /// The same; a pair that is not there is added with row `next`, unless there is no room for it.
  std::uint32_t find_or_add(std::uint64_t hash, std::uint64_t query, std::uint64_t document,
                            std::uint32_t next) {
    const Place place = find_place(hash, query, document);
    const std::uint32_t row = buckets_[place.bucket].rows[place.slot];
    return row != 0 ? row : add(place, hash, {query, document, next});
  }
  /// Gives back its memory; it is empty then.
  void clear();

 private:
  static constexpr std::size_t bucket_pairs = 3;
  struct Bucket {  // a cache line, since memory is mapped by pages
    std::array<std::uint64_t, bucket_pairs> queries, documents;
    std::array<std::uint32_t, bucket_pairs> rows;  // 0: free, and so are those behind
  };
  static_assert(sizeof(Bucket) == 64);
  struct Pair {
    std::uint64_t query, document;
    std::uint32_t row;
  };
  struct Place {
    std::size_t bucket, slot;
  };

  std::size_t bucket_of(std::uint64_t hash) const {
    // The upper half of hash * buckets: any number of buckets will do.
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>(static_cast<Wide>(hash) * buckets_.size() >> 64);
  }
  /// Where a pair is, or the free place where it would be.
  Place find_place(std::uint64_t hash, std::uint64_t query, std::uint64_t document) const {
    for (std::size_t bucket = bucket_of(hash);;) {
      const Bucket& at = buckets_[bucket];
      for (std::size_t slot = 0; slot < bucket_pairs; ++slot)
        if (at.rows[slot] == 0 || (at.queries[slot] == query && at.documents[slot] == document))
          return {bucket, slot};
      if (++bucket == buckets_.size()) bucket = 0;
    }
  }
  std::uint32_t add(Place place, std::uint64_t hash, const Pair& pair);
  void put(Place place, const Pair& pair);
  bool grow();
  void spread(std::size_t buckets);

  std::size_t most_bytes_, size_ = 0, room_ = 0;
  ZeroedArray<Bucket> buckets_;
};

}  // namespace ultr
