#include "experiment/gradient_fitter.h"

#include <algorithm>

#include "experiment/epoch_order.h"
#include "optim/schedule.h"

namespace ultr {

GradientFitter::GradientFitter(const OptimizerOptions& options, const FitSetting& setting)
    : options_(options),
      setting_(setting),
      optimizer_(options.build()),
      step_(setting.model, *optimizer_,
            {.mean = setting.options.mean(),
             .lazy = options.lazy,
             .clip_norm = options.clip_norm,
             .seed = setting.seed,
             .threads = setting.threads}) {
  optimizer_->attach(setting.model.parameters());
}

FitPass GradientFitter::pass(std::int64_t epoch, const std::function<void(std::size_t)>& progress) {
  const auto& schedule = options_.schedule.as<ScheduleOptions>();
  const std::size_t sessions = setting_.train.sessions();
  const auto batch_size = static_cast<std::size_t>(setting_.options.batch_size);
  const std::size_t batches = (sessions + batch_size - 1) / batch_size;
  const auto total_steps = static_cast<std::int64_t>(batches) * setting_.options.epochs;

  EpochOrder order(sessions, setting_.seed, epoch, setting_.options.shuffle);
  while (progress_.sessions < sessions) {
    const std::size_t begin = progress_.sessions;
    const auto part = order.at(begin, std::min(batch_size, sessions - begin));
    step_.pack(setting_.train, part, batch_);
    progress_.learning_rate =
        options_.learning_rate * schedule.factor(progress_.steps, total_steps);
    const BatchLoss loss = step_(batch_, progress_.learning_rate);
    progress_.steps = optimizer_->steps();
    progress_.sessions += part.size();
    progress_.loss += loss.sum;
    progress_.units += loss.units;
    if (progress) progress(progress_.sessions);
  }
  const FitPass result{.loss = progress_.loss / progress_.units,
                       .learning_rate = progress_.learning_rate};
  progress_ = {.steps = progress_.steps};
  return result;
}

void GradientFitter::resume(const FitProgress& progress) {
  progress_ = progress;
  optimizer_->set_steps(progress.steps);
}

}  // namespace ultr
