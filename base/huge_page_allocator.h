#pragma once

#include <cstddef>

namespace ultr {

inline constexpr std::size_t cache_line_bytes = 64;

/// Allocates whole cache lines, aligned to cache lines. Memory of 2 MiB or more is aligned to huge
/// pages instead and uses them if the system provides them. Throws std::bad_alloc if there is not
/// enough memory.
void* allocate_huge_pages(std::size_t bytes);
/// Frees memory of allocate_huge_pages, which must have been called with the same `bytes`.
void free_huge_pages(void* memory, std::size_t bytes);

/// An allocator for large containers that are accessed at random: with small pages, nearly every
/// access would also wait for an address translation. Allocations are whole cache lines, whatever
/// the number of elements.
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
