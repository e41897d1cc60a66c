#include "base/huge_page_allocator.h"

#include <new>

#include <sys/mman.h>

namespace ultr {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;

std::size_t alignment_of(std::size_t bytes) {
  return bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes;
}

}  // namespace

void* allocate_huge_pages(std::size_t bytes) {
  const std::size_t alignment = alignment_of(bytes);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = ::operator new(rounded, std::align_val_t{alignment});
  if (alignment == huge_page_bytes) madvise(memory, rounded, MADV_HUGEPAGE);  // best effort
  return memory;
}

void free_huge_pages(void* memory, std::size_t bytes) {
  ::operator delete(memory, std::align_val_t{alignment_of(bytes)});
}

}  // namespace ultr
