#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace ultr {

/// A bump allocator: allocate() advances a pointer, reset() frees everything at once.
///
/// reset() keeps the blocks, so recording a program again allocates nothing from the heap. Every
/// allocation is aligned to a cache line and followed by at least one unused cache line, so that
/// vector kernels may read (not write) one register past the end. Not thread-safe.
class Arena {
 public:
  static constexpr std::size_t alignment = 64;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Returns uninitialised memory, valid until reset().
  std::byte* allocate(std::size_t bytes);

  /// Copies `value` into the arena. The copy lives until reset(); its destructor never runs.
  template <class T>
  T* create(const T& value) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignment);
    return ::new (allocate(sizeof(T))) T(value);  // NOLINT: T may be a pointer
  }

  /// Copies `values` into the arena. The copy lives until reset().
  template <class T>
  std::span<T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    T* to = reinterpret_cast<T*>(allocate(values.size_bytes()));
    if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
    return {to, values.size()};
  }

  /// Invalidates all allocations but keeps the memory for reuse.
  void reset();

  /// Bytes that the arena holds from the heap, whether handed out or not.
  std::size_t capacity() const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> memory;
    std::size_t bytes;
  };

  std::vector<Block> blocks_;
  std::size_t block_ = 0;  // the block in use
  std::size_t used_ = 0;   // bytes of that block that are handed out
};

}  // namespace ultr
