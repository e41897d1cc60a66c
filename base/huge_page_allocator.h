#pragma once

#include <cstddef>

namespace ultr {

inline constexpr std::size_t cache_line_bytes = 64;

/// Memory aligned to cache lines, whole ones; if there is a lot of it, to huge pages, if the system
/// gives them. Throws bad_alloc if there is none.
void* allocate_huge_pages(std::size_t bytes);
/// Frees what allocate_huge_pages gave for so many bytes.
void free_huge_pages(void* memory, std::size_t bytes);

/// Memory for containers that are large and read at random: with small pages nearly every access
/// would wait for an address too. Whole cache lines are there, whatever the number of elements.
template <class T>
struct HugePageAllocator {
  static_assert(alignof(T) <= cache_line_bytes);
  using value_type = T;

  HugePageAllocator() = default;
  template <class Other>
  HugePageAllocator(const HugePageAllocator<Other>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_huge_pages(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) { free_huge_pages(memory, count * sizeof(T)); }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
};

}  // namespace ultr
