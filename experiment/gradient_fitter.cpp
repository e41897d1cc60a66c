#include "experiment/gradient_fitter.h"

#include <algorithm>
#include <numeric>

#include "autograd/random.h"
#include "optim/schedule.h"

namespace ultr {
namespace {

/// The order of sessions in an epoch: a function of seed and epoch alone.
std::vector<std::uint32_t> epoch_order(std::size_t sessions, std::uint64_t seed, std::int64_t epoch,
                                       bool shuffle) {
  std::vector<std::uint32_t> order(sessions);
  std::iota(order.begin(), order.end(), 0u);
  if (!shuffle) return order;
  RandomStream random(seed, RandomPurpose::shuffle, static_cast<std::uint32_t>(epoch), 0);
  for (std::size_t i = sessions; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace

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

  const auto order = epoch_order(sessions, setting_.seed, epoch, setting_.options.shuffle);
  while (progress_.sessions < sessions) {
    const std::size_t begin = progress_.sessions;
    const auto part = std::span(order).subspan(begin, std::min(batch_size, sessions - begin));
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
