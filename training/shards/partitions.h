#pragma once

#include <cstddef>

#include "base/threads/number_range.h"

namespace ultr {

/// A training log cut into partitions of about equally many neighbouring shards, and an epoch cut
/// into steps. A step takes the next few sessions of every partition, in that partition's own
/// order, partition after partition. A process that holds some of the partitions thus takes the
/// same sessions in the same step as one that holds all.
class Partitions {
 public:
  /// Cuts a log of `sessions` sessions into `count` partitions. Throws ConfigError if there are
  /// more partitions than sessions per step.
  Partitions(std::size_t sessions, std::size_t batch_size, std::size_t count);

  std::size_t count() const { return count_; }
  /// Returns the sessions of a partition in the log.
  NumberRange sessions(std::size_t part) const;
  /// Returns the number of steps per epoch.
  std::size_t steps() const { return steps_; }
  /// Returns the places in the order of a partition that a step takes; empty if the partition has
  /// no more.
  NumberRange places(std::size_t part, std::size_t step) const;
  /// Returns the number of sessions, of all partitions, that an epoch has taken before a step.
  std::size_t sessions_before(std::size_t step) const;
  /// Returns the step before which an epoch has taken `sessions` sessions. Throws Error if there is
  /// none.
  std::size_t step_after(std::size_t sessions) const;

 private:
  std::size_t sessions_, batch_size_, count_, steps_ = 0;
};

}  // namespace ultr
