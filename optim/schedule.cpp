#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ultr {

double ScheduleOptions::factor(std::int64_t step, std::int64_t total) const {
  if (step < warmup) return static_cast<double>(step + 1) / static_cast<double>(warmup + 1);
  return after_warmup(step - warmup, std::max<std::int64_t>(total - warmup, 1));
}

void ScheduleOptions::fields(Fields& f) {
  f.integer("warmup", warmup, "Steps over which the learning rate rises linearly from 0.",
            at_least(0));
}

void CosineSchedule::fields(Fields& f) {
  ScheduleOptions::fields(f);
  f.number("floor", floor, "Share of the learning rate that remains at the end.", between(0, 1));
}

double CosineSchedule::after_warmup(std::int64_t step, std::int64_t total) const {
  const double done = std::min(1.0, static_cast<double>(step) / static_cast<double>(total));
  return floor + (1 - floor) * (1 + std::cos(std::numbers::pi * done)) / 2;
}

void StepSchedule::fields(Fields& f) {
  ScheduleOptions::fields(f);
  f.number("decay", decay, "Factor that multiplies the learning rate at each drop.", inside(0, 1));
  f.integer("every", every, "Steps between two drops.", at_least(1));
}

double StepSchedule::after_warmup(std::int64_t step, std::int64_t) const {
  const std::int64_t drops = step / every;
  return std::pow(decay, static_cast<double>(drops));
}

const std::vector<OptionType>& schedule_types() {
  static const std::vector<OptionType> types = {
      option_type<ConstantSchedule>("constant", "Keeps the learning rate constant."),
      option_type<CosineSchedule>("cosine",
                                  "Lowers the learning rate along half a cosine over all steps."),
      option_type<StepSchedule>("step",
                                "Multiplies the learning rate by a factor at regular intervals."),
  };
  return types;
}

}  // namespace ultr
