#include "testing/allocations.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::size_t> taken = 0, largest = 0, held = 0, peak = 0;

void raise(std::atomic<std::size_t>& most, std::size_t value) {
  std::size_t before = most;
  while (before < value && !most.compare_exchange_weak(before, value)) continue;
}

void* counted(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  ++taken;
  raise(largest, bytes);
  const std::size_t rounded =
      (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  raise(peak, held += malloc_usable_size(memory));
  return memory;
}

void give_back(void* memory) {
  held -= malloc_usable_size(memory);  // 0 for null
  std::free(memory);
}

}  // namespace

// Every form is replaced, so that none is left to a runtime (the address sanitizer has its own)
// that does not know the other half of a pair.
void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { give_back(memory); }

namespace ultr::testing {

std::size_t allocations() { return taken; }

std::size_t largest_allocation() { return largest; }

void forget_largest_allocation() { largest = 0; }

std::size_t allocated_memory() { return held; }

std::size_t peak_memory() { return peak; }

void forget_peak_memory() { peak = held.load(); }

}  // namespace ultr::testing
