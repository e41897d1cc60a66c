#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ultr {

inline constexpr std::size_t cache_line_bytes = 64;

namespace detail {
/// Allocates all-zero bytes: whole cache lines, aligned to cache lines. Memory of 2 MiB or more is
/// aligned to huge pages instead and uses them if the system provides them. Throws std::bad_alloc
/// if there is not enough memory.
void* allocate_zeroed(std::size_t bytes);
/// Extends memory of allocate_zeroed(before) to `after` >= `before` bytes and returns its new
/// address. Throws std::bad_alloc, without any change, if there is not enough memory.
void* grow_zeroed(void* memory, std::size_t before, std::size_t after);
/// Frees memory of `bytes` bytes from either function.
void free_zeroed(void* memory, std::size_t bytes);
}  // namespace detail

/// A large array for random access, initially all-zero bytes.
///
/// It lies in huge pages, if it is large and the system provides them: with small pages, nearly
/// every random access would also wait for an address translation. The system then assigns memory
/// on first write, so that elements which are never written cost nothing, and the array grows
/// without copying them. Its memory is whole cache lines, whatever the number of elements.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= cache_line_bytes);

 public:
  /// Throws std::bad_alloc if there is not enough memory.
  explicit ZeroedArray(std::size_t size = 0)
      : elements_(static_cast<T*>(detail::allocate_zeroed(size * sizeof(T)))), size_(size) {}
  ~ZeroedArray() { detail::free_zeroed(elements_, size_ * sizeof(T)); }
  ZeroedArray(ZeroedArray&& other) noexcept { swap(other); }
  ZeroedArray& operator=(ZeroedArray&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  T* data() { return elements_; }
  const T* data() const { return elements_; }
  T& operator[](std::size_t i) { return elements_[i]; }
  const T& operator[](std::size_t i) const { return elements_[i]; }

  /// Grows to `size` elements, at least as many as before; new ones are zero. Throws
  /// std::bad_alloc, without any change, if there is not enough memory.
  void grow(std::size_t size) {
    elements_ =
        static_cast<T*>(detail::grow_zeroed(elements_, size_ * sizeof(T), size * sizeof(T)));
    size_ = size;
  }

 private:
  void swap(ZeroedArray& other) {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
  }

  T* elements_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ultr
