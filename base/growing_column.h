#pragma once

#include <span>

#include "base/zeroed_array.h"

namespace ultr {

/// A column of values that grows at its end. Unlike a vector, a large one grows without copying its
/// values, and memory that no value was written to costs nothing (ZeroedArray).
template <class T>
class GrowingColumn {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Bytes of memory in use.
  std::size_t bytes() const { return size_ * sizeof(T); }

  void push_back(const T& value) {
    constexpr std::size_t first = 64;
    if (size_ == values_.size()) values_.grow(size_ == 0 ? first : 2 * size_);
    values_[size_++] = value;
  }
  T& operator[](std::size_t i) { return values_[i]; }
  const T& operator[](std::size_t i) const { return values_[i]; }
  const T& back() const { return values_[size_ - 1]; }
  std::span<const T> values() const { return {values_.data(), size_}; }

 private:
  ZeroedArray<T> values_;
  std::size_t size_ = 0;
};

}  // namespace ultr
