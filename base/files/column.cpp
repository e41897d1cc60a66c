#include "base/files/column.h"

#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace ultr {
namespace {

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

/// Passes advice to the system. Errors are ignored, since advice never changes a result.
void advise(std::uintptr_t begin, std::uintptr_t end, int advice) {
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, advice);  // NOLINT
}

/// Passes advice on all pages that hold some of the bytes between two addresses.
void advise_on_pages_of(const void* begin, const void* end, int advice) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  advise(first / page_size() * page_size(), reinterpret_cast<std::uintptr_t>(end), advice);
}

}  // namespace

void release_pages(const void* begin, const void* end) {
  const std::uintptr_t page = page_size();
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const auto last = reinterpret_cast<std::uintptr_t>(end);
  advise((first + page - 1) / page * page, last / page * page, MADV_DONTNEED);
}

void read_only_what_is_asked_for(const void* begin, const void* end, bool on) {
  advise_on_pages_of(begin, end, on ? MADV_RANDOM : MADV_NORMAL);
}

void read_ahead(const void* begin, const void* end) {
  advise_on_pages_of(begin, end, MADV_WILLNEED);
}

}  // namespace ultr
