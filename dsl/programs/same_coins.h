#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/log/shard.h"
#include "dsl/chain.h"

namespace ultr {

/// Samples clicks of a story under which every user tosses the same coins, in the same order, at
/// every document, as under a position-based model. The number of each draw is then known
/// beforehand, so coins are tossed for a register of sessions at a time. Clicks are those of
/// ClickSampler's other stories: each coin shows heads if the next number of its session's stream
/// is below its probability.
class SameCoins {
 public:
  /// True if the machine has one state, in which users stay, and tosses all its coins whatever
  /// others show. The machine must not depend on the last click.
  static bool toss_in(const Chain& chain);
  /// Records the coins. Requires toss_in(chain).
  explicit SameCoins(const Chain& chain);

  /// The tensors that `play` reads, for Tape::require; float64.
  const std::vector<Tensor>& inputs() const { return log_p_; }
  /// Samples the clicks of each session after the tape has run on the shard. `numbers[j]` is the
  /// number of the shard's j-th session.
  void play(const Shard& shard, std::uint64_t seed, std::span<const std::uint64_t> numbers,
            std::vector<std::uint8_t>& clicks);

 private:
  class Toss;
  class ExactToss;

  /// Draws numbers `first` to first + coins - 1 of these sessions' streams.
  void draw(std::uint64_t seed, std::span<const std::uint64_t> numbers, std::size_t first);
  /// Returns the draws of number `draw` of all sessions.
  const std::uint64_t* draws(std::size_t draw) const {
    return &draws_[(draw - first_drawn_) * shard_sessions];
  }

  Prob examination_, attraction_;
  std::vector<Tensor> log_p_;                  // of the coins, in the order of the tosses
  std::vector<std::span<const double>> logs_;  // after a run: one per document, or one for all
  std::size_t first_drawn_ = 0;                // number of the first draw in draws_
  std::vector<std::uint64_t> draws_;           // [draw][session]
};

}  // namespace ultr
