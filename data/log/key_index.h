#pragma once

#include <cstdint>
#include <utility>

#include "base/zeroed_array.h"

namespace ultr {

/// A map from 64-bit keys to numbers: a hash table with open addressing, of 21 to 43 bytes per key.
class KeyIndex {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::size_t size() const { return size_; }
  /// Bytes of memory in use.
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }
  /// Prefetches the memory that a lookup of a key reads. Always inline: GCC drops calls of
  /// functions that do nothing else.
  [[gnu::always_inline]] void prefetch(std::uint64_t key) const {
    if (slots_.size() > 0) __builtin_prefetch(&slots_[home_of(key)], 1);
  }
  /// Returns the number of a key; `none` if it was not added.
  std::uint64_t find(std::uint64_t key) const {
    return slots_.size() == 0 ? none : slots_[place_of(key)].next - 1;
  }
  /// Returns the number of a key. A new key is added with `number`, which must not be `none`.
  std::uint64_t find_or_add(std::uint64_t key, std::uint64_t number) {
    if (4 * size_ >= 3 * slots_.size()) grow();
    Slot& slot = slots_[place_of(key)];
    if (slot.next == 0) {
      slot = {key, number + 1};
      ++size_;
    }
    return slot.next - 1;
  }

 private:
  struct Slot {
    std::uint64_t key, next;  // one more than the number; 0 in a free slot
  };

  std::size_t home_of(std::uint64_t key) const { return key * 0x9E3779B97F4A7C15u >> shift_; }
  /// Returns the place of a key, or the free place where it belongs.
  std::size_t place_of(std::uint64_t key) const {
    std::size_t place = home_of(key);
    while (slots_[place].next != 0 && slots_[place].key != key)
      place = (place + 1) & (slots_.size() - 1);
    return place;
  }
  void grow() {
    constexpr std::size_t first = 16;
    const ZeroedArray<Slot> before =
        std::exchange(slots_, ZeroedArray<Slot>(slots_.size() == 0 ? first : 2 * slots_.size()));
    shift_ = slots_.size() == first ? 60 : shift_ - 1;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i].next != 0) slots_[place_of(before[i].key)] = before[i];
  }

  ZeroedArray<Slot> slots_;  // a power of two
  int shift_ = 0;            // 64 - log2 of their number
  std::size_t size_ = 0;
};

}  // namespace ultr
