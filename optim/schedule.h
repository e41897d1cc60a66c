#pragma once

#include <memory>

#include "options/fields.h"

namespace ultr {

/// A learning-rate schedule: one factor per step.
class ScheduleOptions : public Options {
 public:
  std::int64_t warmup = 0;

  /// Returns the factor for step `step` (from 0) of `total`, the maximum number of steps. The
  /// factor rises linearly over the first `warmup` steps.
  double factor(std::int64_t step, std::int64_t total) const;
  /// Visits the field `warmup`, which all schedules have; schedules with more call it first.
  void fields(Fields& f) override;

 private:
  /// The factor after warmup; neither number counts warmup steps.
  virtual double after_warmup(std::int64_t step, std::int64_t total) const = 0;
};

/// The constant factor 1.
struct ConstantSchedule final : ScheduleOptions {
 private:
  double after_warmup(std::int64_t, std::int64_t) const override { return 1; }
};

/// A factor that falls from 1 to `floor` along half a cosine: floor + (1-floor)(1+cos(π
/// step/total))/2 (Loshchilov & Hutter, 2017, without restarts).
struct CosineSchedule final : ScheduleOptions {
  double floor = 0;
  void fields(Fields& f) override;

 private:
  double after_warmup(std::int64_t step, std::int64_t total) const override;
};

/// A factor that drops at regular intervals: decay^(number of whole `every`s so far).
struct StepSchedule final : ScheduleOptions {
  double decay = 0.5;
  std::int64_t every = 1000;
  void fields(Fields& f) override;

 private:
  double after_warmup(std::int64_t step, std::int64_t total) const override;
};

/// All types of learning-rate schedules, with their names in a configuration.
const std::vector<OptionType>& schedule_types();

}  // namespace ultr
