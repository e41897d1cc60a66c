// Preloaded into a program (LD_PRELOAD), makes allocations of its main function fail: those with
// the numbers from ALLOCATION_FAULT on (from 1), ALLOCATION_FAULTS of them. Every function counts
// that gives out memory, operator new, which calls malloc, among them. The program leaves the
// number of allocations, one line, in the file ALLOCATION_COUNT when it ends.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>

#include "preload/interposed.h"

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

std::atomic<bool> counts = false;
std::atomic<long> count = 0;
long first_fault = 0, faults = 1;

/// Counts an allocation. Returns true if it fails.
bool fails() {
  if (!counts) return false;
  const long number = ++count;
  if (number < first_fault || number >= first_fault + faults || first_fault == 0) return false;
  errno = ENOMEM;
  return true;
}

using Main = int (*)(int, char**, char**);
Main program = nullptr;

int counted(int argc, char** argv, char** environment) {
  const std::string file = ultr::preload::variable("ALLOCATION_COUNT");
  first_fault = std::atol(ultr::preload::variable("ALLOCATION_FAULT").c_str());
  const std::string more = ultr::preload::variable("ALLOCATION_FAULTS");
  if (!more.empty()) faults = std::atol(more.c_str());
  counts = true;
  const int code = program(argc, argv, environment);
  counts = false;
  if (file.empty()) return code;
  std::FILE* const written = std::fopen(file.c_str(), "w");
  if (written == nullptr || std::fprintf(written, "%ld\n", count.load()) < 0) std::abort();
  std::fclose(written);
  return code;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*begin)(), void (*end)(),
                      void (*end_loader)(), void* stack) {
  program = main;
  return ultr::preload::next("__libc_start_main", &__libc_start_main)(&counted, argc, argv, begin,
                                                                      end, end_loader, stack);
}

void* malloc(std::size_t bytes) noexcept { return fails() ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t n, std::size_t bytes) noexcept {
  return fails() ? nullptr : __libc_calloc(n, bytes);
}
void* realloc(void* memory, std::size_t bytes) noexcept {
  return bytes > 0 && fails() ? nullptr : __libc_realloc(memory, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) noexcept {
  if (fails()) return ENOMEM;
  *to = __libc_memalign(alignment, bytes);
  return *to == nullptr ? ENOMEM : 0;
}
}
