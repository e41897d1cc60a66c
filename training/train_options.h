#pragma once

#include <cstdint>
#include <string>

#include "dsl/programs/click_program.h"
#include "options/fields.h"

namespace ultr {

/// Section `train`: how parameters are learned.
struct TrainOptions final : Options {
  std::int64_t epochs = 100;
  std::int64_t batch_size = 512;
  std::int64_t early_stopping = 1;
  std::string loss_mean = "documents";
  bool shuffle = true;
  std::int64_t partitions = 0;

  void fields(Fields& f) override;
  LossMean mean() const {
    return loss_mean == "documents" ? LossMean::documents : LossMean::sessions;
  }
};

/// The interval between two checkpoints: a number of seconds, steps or epochs.
struct CheckpointInterval {
  enum class Unit : std::uint8_t { never, seconds, steps, epochs };
  Unit unit = Unit::never;
  double count = 0;
};

/// Section `checkpoint`: when training writes checkpoints, and how many are kept.
struct CheckpointOptions final : Options {
  std::string every = "never";
  std::int64_t keep = 2;

  void fields(Fields& f) override;
  /// Returns the interval that `every` describes. Throws ConfigError unless it is "never" or a
  /// number above 0 with a unit: s, m, h, step(s) or epoch(s). Numbers of steps and epochs must be
  /// whole.
  CheckpointInterval interval() const;
};

}  // namespace ultr
