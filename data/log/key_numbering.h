#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/growing_column.h"

namespace ultr {

/// Numbers 64-bit keys 0, 1, ... in the order in which they first appear, fewer than 2^32. Takes 20
/// to 32 bytes per key. Made for keys that are mostly new when they are looked up, as the lists of
/// a log are: a small filter tells that, and the hash table waits until the memory of several keys
/// has been prefetched.
class KeyNumbering {
 public:
  std::size_t size() const { return keys_.size(); }
  /// Bytes of memory in use.
  std::size_t bytes() const {
    return keys_.bytes() + (places_.size() + filter_.size()) * sizeof(std::uint64_t);
  }
  /// Returns the number of a key, which is size() if it is new.
  std::uint32_t number_of(std::uint64_t key) {
    if (4 * size() >= 3 * places_.size()) grow();
    const std::uint64_t hash = hash_of(key);
    if (may_have(hash)) {
      place_waiting();
      if (const std::optional<std::uint32_t> known = find(key, hash)) return *known;
    }
    mark(hash);
    keys_.push_back(key);
    if (size() - placed_ == most_waiting) place_waiting();
    return static_cast<std::uint32_t>(size() - 1);
  }

 private:
  static constexpr std::size_t most_waiting = 32;
  static constexpr int filter_bits = 3;  // log2 of the filter's bits per place
  static constexpr std::uint64_t tag_bits = ~std::uint64_t{0} << 32;

  /// A new key whose bit another one has set is looked up like one that is known.
  bool may_have(std::uint64_t hash) const {
    const std::uint64_t bit = hash >> (shift_ - filter_bits);
    return (filter_[bit / 64] >> bit % 64 & 1) != 0;
  }
  void mark(std::uint64_t hash) {
    const std::uint64_t bit = hash >> (shift_ - filter_bits);
    filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  std::optional<std::uint32_t> find(std::uint64_t key, std::uint64_t hash) const {
    for (std::size_t place = hash >> shift_; places_[place] != 0;
         place = (place + 1) & (places_.size() - 1)) {
      const auto number = static_cast<std::uint32_t>(places_[place] & ~tag_bits) - 1;
      if ((places_[place] & tag_bits) == hash << 32 && keys_[number] == key) return number;
    }
    return std::nullopt;
  }
  static std::uint64_t hash_of(std::uint64_t key) { return key * 0x9E3779B97F4A7C15u; }
  /// Puts the keys that are not yet in the hash table there.
  void place_waiting() {
    while (placed_ < size()) {
      const std::size_t end = std::min(size(), placed_ + most_waiting);
      for (std::size_t number = placed_; number < end; ++number)
        __builtin_prefetch(&places_[hash_of(keys_[number]) >> shift_], 1);
      for (; placed_ < end; ++placed_) {
        const std::uint64_t hash = hash_of(keys_[placed_]);
        std::size_t place = hash >> shift_;
        while (places_[place] != 0) place = (place + 1) & (places_.size() - 1);
        places_[place] = hash << 32 | (placed_ + 1);
      }
    }
  }
  void grow() {
    constexpr std::size_t first = 64;
    const std::size_t places = places_.size() == 0 ? first : 2 * places_.size();
    places_ = ZeroedArray<std::uint64_t>(places);
    filter_ = ZeroedArray<std::uint64_t>((places << filter_bits) / 64);
    shift_ = places == first ? 58 : shift_ - 1;
    for (std::size_t number = 0; number < size(); ++number) mark(hash_of(keys_[number]));
    placed_ = 0;
    place_waiting();
  }

  GrowingColumn<std::uint64_t> keys_;
  std::size_t placed_ = 0;  // number of keys in the hash table
  /// A hash table of one more than the numbers of keys, with parts of their hashes in the upper
  /// half; 0 where it is free.
  ZeroedArray<std::uint64_t> places_;
  ZeroedArray<std::uint64_t> filter_;  // bits of all keys
  int shift_ = 0;                      // 64 - log2 of the number of places
};

}  // namespace ultr
