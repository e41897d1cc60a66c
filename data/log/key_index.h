#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ultr {

/// A map from 64-bit keys to numbers: a hash table with open addressing, of 16 to 32 bytes per key.
class KeyIndex {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::size_t size() const { return size_; }
  /// Bytes of memory in use.
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }
  /// Returns the number of a key; `none` if it was not added.
  std::uint64_t find(std::uint64_t key) const {
    if (slots_.empty()) return none;
    const Slot& slot = slots_[place_of(key)];
    return slot.number;
  }
  /// Returns the number of a key. A new key is added with `number`, which must not be `none`.
  std::uint64_t find_or_add(std::uint64_t key, std::uint64_t number) {
    if (2 * size_ >= slots_.size()) grow();
    Slot& slot = slots_[place_of(key)];
    if (slot.number == none) {
      slot = {key, number};
      ++size_;
    }
    return slot.number;
  }

 private:
  struct Slot {
    std::uint64_t key = 0, number = none;
  };

  /// Returns the place of a key, or the free place where it belongs.
  std::size_t place_of(std::uint64_t key) const {
    std::size_t place = key * 0x9E3779B97F4A7C15u >> shift_;
    while (slots_[place].number != none && slots_[place].key != key)
      place = (place + 1) & (slots_.size() - 1);
    return place;
  }
  void grow() {
    constexpr std::size_t first = 16;
    const std::vector<Slot> before =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? first : 2 * slots_.size()));
    shift_ = slots_.size() == first ? 60 : shift_ - 1;
    for (const Slot& slot : before)
      if (slot.number != none) slots_[place_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;  // a power of two
  int shift_ = 0;            // 64 - log2 of their number
  std::size_t size_ = 0;
};

}  // namespace ultr
