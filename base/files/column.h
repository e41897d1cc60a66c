#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ultr {

/// Releases the whole pages of memory between two addresses of a mapped file. The next access reads
/// them from the file again.
void release_pages(const void* begin, const void* end);

/// Asks the system to prefetch the bytes between two addresses of a mapped file.
void read_ahead(const void* begin, const void* end);

/// Tells the system that only what is asked for by read_ahead will be read of the bytes between two
/// addresses of a mapped file, or (false) that they will be read in order. By default, an access
/// that finds its page missing reads up to some megabytes around it.
void read_only_what_is_asked_for(const void* begin, const void* end, bool on);

/// An immutable column of values, in memory or in a memory-mapped file. Copies share the values and
/// are as cheap as copying a pointer.
template <class T>
class Column {
 public:
  using value_type = T;

  Column() = default;
  /// Takes ownership of the values.
  Column(std::vector<T> values) {  // NOLINT(google-explicit-constructor): a vector is a column
    const auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    values_ = *owned;
    owner_ = owned;
  }
  /// Refers to values in a mapped file, which stays mapped as long as `owner` lives.
  Column(std::span<const T> values, std::shared_ptr<const void> owner)
      : values_(values), owner_(std::move(owner)), mapped_(!values.empty()) {}

  std::span<const T> values() const { return values_; }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T& operator[](std::size_t i) const { return values_[i]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  /// Returns the owner of the values, which live as long as it does; null for an empty column.
  const std::shared_ptr<const void>& owner() const { return owner_; }

  /// Releases the memory of entries of a mapped column; the next access reads them from the file.
  /// Does nothing for values in memory.
  void release(std::size_t first, std::size_t count) const {
    if (mapped_ && count > 0) release_pages(&values_[first], &values_[first] + count);
  }
  void release() const { release(0, size()); }
  /// Asks the system to prefetch entries of a mapped column. Does nothing for values in memory.
  void read_ahead(std::size_t first, std::size_t count) const {
    if (mapped_ && count > 0) ultr::read_ahead(&values_[first], &values_[first] + count);
  }
  /// See ultr::read_only_what_is_asked_for. Does nothing for values in memory.
  void read_only_what_is_asked_for(bool on) const {
    if (mapped_) ultr::read_only_what_is_asked_for(values_.data(), values_.data() + size(), on);
  }

 private:
  std::span<const T> values_;
  std::shared_ptr<const void> owner_;
  bool mapped_ = false;
};

}  // namespace ultr
