#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ultr {

/// The order in which an epoch trains on sessions, a function of their number, the seed and the
/// epoch alone.
///
/// Up to `window` sessions are all shuffled. More are cut into blocks of `block` neighbours; the
/// blocks are shuffled, and then the sessions of every `window` places. Memory is thus read block
/// by block, not session by session from anywhere, and the order takes memory for the blocks and
/// one window. A session meets others from a thousand random places of the log in its window; only
/// its neighbours in the log are more often near it than chance would have them.
class EpochOrder {
 public:
  static constexpr std::size_t block = 64, window = std::size_t{1} << 16;

  EpochOrder(std::size_t sessions, std::uint64_t seed, std::int64_t epoch, bool shuffle);

  /// The sessions at places `begin` to `begin + count`, until the next call.
  std::span<const std::uint32_t> at(std::size_t begin, std::size_t count);

 private:
  void fill(std::size_t window_number);

  std::size_t sessions_;
  std::uint64_t seed_;
  std::uint32_t epoch_;
  bool shuffle_;
  std::vector<std::uint32_t> blocks_;            // their order; empty: one after the other
  std::size_t shorter_at_ = 0, shorter_by_ = 0;  // the place of the last one, and what it lacks
  std::vector<std::uint32_t> window_;            // sessions of one window
  std::size_t filled_ = SIZE_MAX;                // its number
  std::vector<std::uint32_t> part_;              // what `at` returns where it spans windows
};

}  // namespace ultr
