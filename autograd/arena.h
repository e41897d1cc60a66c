#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace ultr {

/// Memory that is handed out by moving a pointer and taken back all at once.
///
/// Blocks are kept across reset(), so a program that is recorded again needs no heap. Every
/// allocation is aligned to a cache line and followed by at least one cache line of slack, so that
/// vector kernels may read (not write) a register past the end.
class Arena {
 public:
  static constexpr std::size_t alignment = 64;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Uninitialised memory, valid until reset().
  std::byte* allocate(std::size_t bytes);

  /// A copy of `value` that lives until reset(); its destructor is never run.
  template <class T>
  T* create(const T& value) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignment);
    return ::new (allocate(sizeof(T))) T(value);
  }

  template <class T>
  std::span<T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    T* to = reinterpret_cast<T*>(allocate(values.size_bytes()));
    if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
    return {to, values.size()};
  }

  /// Forgets all allocations and keeps the memory.
  void reset();

  /// Bytes held from the heap.
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
  std::size_t used_ = 0;   // bytes of it handed out
};

}  // namespace ultr
