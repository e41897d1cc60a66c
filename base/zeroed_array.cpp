#include "base/zeroed_array.h"

#include <cstdint>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace ultr::detail {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;
constexpr std::align_val_t small_alignment{cache_line_bytes};

bool is_mapped(std::size_t bytes) { return bytes >= huge_page_bytes; }

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Maps whole huge pages. The range that the system returns has room for one more, so that it
/// contains an aligned one; the rest is given back.
void* map_huge_pages(std::size_t bytes) {
  const std::size_t size = round_up(bytes, huge_page_bytes), room = size + huge_page_bytes;
  void* const mapped =
      mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::size_t head = round_up(address, huge_page_bytes) - address;
  auto* const memory = static_cast<std::byte*>(mapped) + head;
  if (head > 0) munmap(mapped, head);
  munmap(memory + size, room - size - head);
  madvise(memory, size, MADV_HUGEPAGE);  // best effort
  return memory;
}

}  // namespace

void* allocate_zeroed(std::size_t bytes) {
  if (is_mapped(bytes)) return map_huge_pages(bytes);
  const std::size_t size = round_up(bytes, cache_line_bytes);
  return std::memset(::operator new(size, small_alignment), 0, size);
}

void* grow_zeroed(void* memory, std::size_t before, std::size_t after) {
  if (is_mapped(before)) {
    // Moves the pages, not their content. After a failure, `to` may belong to another thread.
    void* const to = map_huge_pages(after);
    if (mremap(memory, round_up(before, huge_page_bytes), round_up(after, huge_page_bytes),
               MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
      throw std::bad_alloc();
    return to;
  }
  void* const to = allocate_zeroed(after);
  if (before > 0) std::memcpy(to, memory, before);
  free_zeroed(memory, before);
  return to;
}

void free_zeroed(void* memory, std::size_t bytes) {
  if (is_mapped(bytes))
    munmap(memory, round_up(bytes, huge_page_bytes));
  else
    ::operator delete(memory, small_alignment);
}

}  // namespace ultr::detail
