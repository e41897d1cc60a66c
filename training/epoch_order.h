#pragma once

#include <cstdint>
#include <vector>

#include "base/number_range.h"

namespace ultr {

/// The order in which an epoch trains on sessions, a function of their number, the seed and the
/// epoch alone, window after window.
///
/// Up to `window` sessions are all shuffled. More are cut into blocks of `block` neighbours; the
/// blocks are shuffled, and then the sessions of every `window` places. The log is thus read block
/// by block, not session by session from anywhere, and the order takes memory for the blocks and
/// one window. A session meets others from 512 random places of the log in its window; only its
/// neighbours in the log are more often near it than chance would have them.
class EpochOrder {
 public:
  static constexpr std::size_t block = 256, window = std::size_t{1} << 17;

  EpochOrder(std::size_t sessions, std::uint64_t seed, std::int64_t epoch, bool shuffle);

  std::size_t windows() const { return (sessions_ + window - 1) / window; }
  /// Sessions of a window: all but the last have `window` of them.
  std::size_t size(std::size_t number) const;

  /// The sessions of a window: ranges of neighbours in the log, one after the other.
  std::vector<NumberRange> ranges(std::size_t number) const;
  /// For each of these sessions its place in the window, from 0.
  void places(std::size_t number, std::vector<std::uint32_t>& places) const;

 private:
  std::size_t sessions_;
  std::uint64_t seed_;
  std::uint32_t epoch_;
  bool shuffle_;
  std::vector<std::uint32_t> blocks_;            // their order; empty: one after the other
  std::size_t shorter_at_ = 0, shorter_by_ = 0;  // the place of the last one, and what it lacks
};

}  // namespace ultr
