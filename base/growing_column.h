#pragma once

#include <algorithm>
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
    if (size_ == values_.size()) make_room(1);
    values_[size_++] = value;
  }
  /// Appends values, which must not be its own.
  void append(std::span<const T> values) {
    if (values.size() > values_.size() - size_) make_room(values.size());
    std::copy(values.begin(), values.end(), values_.data() + size_);
    size_ += values.size();
  }
  T& operator[](std::size_t i) { return values_[i]; }
  const T& operator[](std::size_t i) const { return values_[i]; }
  const T& back() const { return values_[size_ - 1]; }
  std::span<const T> values() const { return {values_.data(), size_}; }

 private:
  void make_room(std::size_t count) {
    constexpr std::size_t least = 64;
    values_.grow(std::max({least, 2 * values_.size(), size_ + count}));
  }

  ZeroedArray<T> values_;
  std::size_t size_ = 0;
};

}  // namespace ultr
