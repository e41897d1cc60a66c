#pragma once

#include <cstdint>
#include <vector>

#include "base/threads/number_range.h"

namespace ultr {

/// The order in which an epoch visits the sessions, window by window. It is a function of the
/// number of sessions, the seed and the epoch alone.
///
/// Up to `window` sessions are shuffled as a whole. A longer log is cut into blocks of neighbours;
/// first the blocks are shuffled, then the sessions within every `window` places. The log is thus
/// read block by block, not at random, and the order needs memory only for the blocks and one
/// window. A session meets sessions from 512 random places of the log in its window. Only its
/// neighbours in the log are more often near it than chance would have them.
///
/// A log of more than `huge` sessions, which few memories hold, has larger blocks, since disks read
/// some ten thousand blocks per second, whatever their size. Its windows are of 128 random places.
class EpochOrder {
 public:
  static constexpr std::size_t window = std::size_t{1} << 17, huge = std::size_t{1} << 27;

  EpochOrder(std::size_t sessions, std::uint64_t seed, std::int64_t epoch, bool shuffle);

  /// The number of sessions in a block.
  std::size_t block() const { return sessions_ > huge ? 1024 : 256; }
  std::size_t windows() const { return (sessions_ + window - 1) / window; }
  /// Returns the number of sessions in a window: `window` in all but the last.
  std::size_t size(std::size_t number) const;

  /// Returns the sessions of a window as consecutive ranges of neighbours in the log.
  std::vector<NumberRange> ranges(std::size_t number) const;
  /// Sets `places` to the place in the window, from 0, of each session of these ranges.
  void places(std::size_t number, std::vector<std::uint32_t>& places) const;

 private:
  std::size_t sessions_;
  std::uint64_t seed_;
  std::uint32_t epoch_;
  bool shuffle_;
  std::vector<std::uint32_t> blocks_;            // in shuffled order; empty: in log order
  std::size_t shorter_at_ = 0, shorter_by_ = 0;  // place of the last block, sessions missing in it
};

}  // namespace ultr
