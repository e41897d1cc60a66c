#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ultr {

/// Prefetches the rows of a table that the next replay will read. Kernels that compute much
/// prefetch a few of them per register of results, so that memory works while arithmetic does.
class RowPrefetcher {
 public:
  RowPrefetcher() = default;
  /// Row r begins r * row_bytes bytes after `values`. `rows` must stay valid until all are
  /// prefetched.
  RowPrefetcher(const void* values, std::size_t row_bytes, std::span<const std::uint32_t> rows)
      : values_(static_cast<const char*>(values)),
        row_bytes_(row_bytes),
        next_(rows.data()),
        end_(rows.data() + rows.size()) {}

  /// Number of rows that are not prefetched yet.
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - next_); }

  /// Prefetches the next `count` rows, or as many as are left.
  void prefetch(std::size_t count) {
    constexpr int reads = 0, into_second_level_cache = 2;
    const auto prefetch_row = [this](std::uint32_t row) {
      __builtin_prefetch(values_ + row * row_bytes_, reads, into_second_level_cache);
    };
    if (remaining() >= count) {
#pragma GCC unroll 8  // the count is known, and may be too large for GCC to do so by itself
      for (std::size_t i = 0; i < count; ++i) prefetch_row(next_[i]);
      next_ += count;
    } else {
      while (next_ != end_) prefetch_row(*next_++);
    }
  }

 private:
  const char* values_ = nullptr;
  std::size_t row_bytes_ = 0;
  const std::uint32_t* next_ = nullptr;
  const std::uint32_t* end_ = nullptr;
};

}  // namespace ultr
