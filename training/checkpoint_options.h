#pragma once

#include <cstdint>
#include <string>

#include "options/fields.h"

namespace ultr {

/// How far checkpoints are apart.
struct CheckpointInterval {
  enum class Unit : std::uint8_t { never, seconds, steps, epochs };
  Unit unit = Unit::never;
  double count = 0;
};

/// checkpoint: what training leaves behind to go on from.
struct CheckpointOptions final : Options {
  std::string every = "never";
  std::int64_t keep = 2;

  void fields(Fields& f) override;
  /// What `every` says. Throws ConfigError if it is neither "never" nor a number above 0 with a
  /// unit; of steps and epochs a whole one.
  CheckpointInterval interval() const;
};

}  // namespace ultr
