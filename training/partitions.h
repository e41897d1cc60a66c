#pragma once

#include <cstddef>

#include "base/number_range.h"

namespace ultr {

/// A training log cut into parts of about equally many neighbouring shards, and an epoch into
/// steps: a step takes the next few sessions of every part, in the order that the epoch has for it,
/// part after part. A process that has some of the parts takes the same sessions in the same step
/// as one that has all.
class Partitions {
 public:
  /// Throws ConfigError if there are more parts than sessions a step.
  Partitions(std::size_t sessions, std::size_t batch_size, std::size_t count);

  std::size_t count() const { return count_; }
  /// The sessions of a part, in the log.
  NumberRange sessions(std::size_t part) const;
  /// Of an epoch.
  std::size_t steps() const { return steps_; }
  /// Which places of the order of a part's sessions a step takes; none if it has no more.
  NumberRange places(std::size_t part, std::size_t step) const;
  /// Sessions of all parts that an epoch has taken before a step.
  std::size_t sessions_before(std::size_t step) const;
  /// The step before which it has taken so many. Throws Error if there is none.
  std::size_t step_after(std::size_t sessions) const;

 private:
  std::size_t sessions_, batch_size_, count_, steps_ = 0;
};

}  // namespace ultr
