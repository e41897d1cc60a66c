#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

namespace ultr {

/// A large array for random access, initially all-zero bytes. The system allocates its memory on
/// first write, in huge pages if it can: with small pages, nearly every random access would also
/// miss the TLB. It grows without copying elements.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Throws std::bad_alloc if there is no memory. `size`: at least 1.
  explicit ZeroedArray(std::size_t size) : size_(size) {
    void* const memory =
        mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    elements_ = static_cast<T*>(memory);
    madvise(elements_, size * sizeof(T), MADV_HUGEPAGE);  // best effort
  }
  ~ZeroedArray() {
    if (elements_ != nullptr) munmap(elements_, size_ * sizeof(T));
  }
  ZeroedArray(ZeroedArray&& other) noexcept
      : elements_(std::exchange(other.elements_, nullptr)), size_(other.size_) {}
  ZeroedArray& operator=(ZeroedArray&& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return elements_[i]; }
  const T& operator[](std::size_t i) const { return elements_[i]; }

  /// Grows to `size` elements; new ones are zero. Throws std::bad_alloc, without any change, if
  /// there is no memory.
  void grow(std::size_t size) {
    void* const memory = mremap(elements_, size_ * sizeof(T), size * sizeof(T), MREMAP_MAYMOVE);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    elements_ = static_cast<T*>(memory);
    size_ = size;
    madvise(elements_, size * sizeof(T), MADV_HUGEPAGE);
  }

 private:
  T* elements_ = nullptr;
  std::size_t size_;
};

}  // namespace ultr
