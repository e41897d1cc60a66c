#include "dsl/start.h"

#include <algorithm>
#include <cmath>

#include "dsl/click_program.h"
#include "dsl/divided_model.h"

namespace ultr {
namespace {

/// Packs sessions at even distances, as many as fit a shard.
Shard sample_shard(const SessionLog& log) {
  const std::size_t count = std::min(shard_sessions, log.sessions());
  std::vector<std::uint32_t> sessions;
  for (std::size_t i = 0; i < count; ++i)
    sessions.push_back(static_cast<std::uint32_t>(i * log.sessions() / count));
  Shard shard;
  shard.pack(log, sessions);
  return shard;
}

}  // namespace

double start_at_click_rate(const TrainableModel& model, const SessionLog& train) {
  const Shard shard = sample_shard(train);
  ClickPrograms programs(model, ProgramKind::unconditional);
  const auto divided = divide_tables(model);
  const auto predicted = [&] {
    if (divided) divided->fetch({&shard, 1});
    const auto rows = divided ? divided->rows(0) : std::span<const std::uint32_t>();
    double sum = 0;
    for (const double log_p : programs.run(shard, {}, rows).log_p()) sum += std::exp(log_p);
    return sum / static_cast<double>(shard.documents());
  };
  double shifted = 0;
  const auto shift_to = [&](double by) {
    for (const TrainableModel::Layer& layer : model.layers()) {
      if (layer.start_given || layer.effect == ClickEffect::none) continue;
      const double sign = layer.effect == ClickEffect::raises ? 1 : -1;
      layer.layer->shift(static_cast<float>(sign * (by - shifted)));
    }
    shifted = by;
  };

  // A log without clicks, or with clicks only, would send the logits to infinity.
  const double half_a_click = 0.5 / static_cast<double>(train.documents());
  const double target = std::clamp(train.click_rate(), half_a_click, 1 - half_a_click);
  constexpr double largest = 15;
  double low = -largest, high = largest;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    shift_to(middle);
    (predicted() < target ? low : high) = middle;
  }
  return predicted();
}

}  // namespace ultr
