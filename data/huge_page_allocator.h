#pragma once

#include <cstddef>
#include <new>

#include <sys/mman.h>

namespace ultr {

/// Memory for containers that are large and read at random, aligned to cache lines: in huge pages
/// if the system gives them, since with small pages nearly every access would wait for an address
/// too.
template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class Other>
  HugePageAllocator(const HugePageAllocator<Other>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    void* const memory = ::operator new(count * sizeof(T), alignment(count));
    if (is_large(count)) madvise(memory, count * sizeof(T), MADV_HUGEPAGE);  // failing is fine
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count)); }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }

 private:
  static constexpr std::size_t cache_line = 64, huge_page = std::size_t{1} << 21;
  static_assert(alignof(T) <= cache_line);
  static bool is_large(std::size_t count) { return count * sizeof(T) >= huge_page; }
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t{is_large(count) ? huge_page : cache_line};
  }
};

}  // namespace ultr
