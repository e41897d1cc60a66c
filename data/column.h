#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ultr {

/// A column of values that nobody changes: owned, or in a memory-mapped file. Copies share the
/// values and are as cheap as a pointer.
template <class T>
class Column {
 public:
  using value_type = T;

  Column() = default;
  /// Owns the values.
  Column(std::vector<T> values) {  // NOLINT(google-explicit-constructor): a vector is a column
    const auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    values_ = *owned;
    owner_ = owned;
  }
  /// Values in memory that lives as long as `owner`.
  Column(std::span<const T> values, std::shared_ptr<const void> owner)
      : values_(values), owner_(std::move(owner)) {}

  std::span<const T> values() const { return values_; }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T& operator[](std::size_t i) const { return values_[i]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::span<const T> values_;
  std::shared_ptr<const void> owner_;
};

}  // namespace ultr
