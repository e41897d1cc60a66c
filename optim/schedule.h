#pragma once

#include <memory>

#include "options/fields.h"

namespace ultr {

/// How the learning rate changes over training: a factor for each step.
class ScheduleOptions : public Options {
 public:
  std::int64_t warmup = 0;

  /// The factor for step `step` (from 0) of `total` (the most steps training may take). Rises
  /// linearly over the first `warmup` steps.
  double factor(std::int64_t step, std::int64_t total) const;

 protected:
  void warmup_field(Fields& f);

 private:
  virtual double after_warmup(std::int64_t step, std::int64_t total) const = 0;
};

/// 1 always.
struct ConstantSchedule final : ScheduleOptions {
  void fields(Fields& f) override;

 private:
  double after_warmup(std::int64_t, std::int64_t) const override { return 1; }
};

/// From 1 down to `floor` along half a cosine: floor + (1-floor)(1+cos(π step/total))/2
/// (Loshchilov & Hutter, 2017, without restarts).
struct CosineSchedule final : ScheduleOptions {
  double floor = 0;
  void fields(Fields& f) override;

 private:
  double after_warmup(std::int64_t step, std::int64_t total) const override;
};

/// factor^(number of whole `every`s so far).
struct StepSchedule final : ScheduleOptions {
  double decay = 0.5;
  std::int64_t every = 1000;
  void fields(Fields& f) override;

 private:
  double after_warmup(std::int64_t step, std::int64_t total) const override;
};

/// All types of learning-rate schedules, by the name they have in a configuration.
const std::vector<OptionType>& schedule_types();

}  // namespace ultr
