#include "dsl/programs/start.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "data/log/session_sample.h"
#include "dsl/divided_model.h"
#include "dsl/programs/click_program.h"

namespace ultr {
namespace {

/// Packs sessions at even distances, as many as fit a shard.
Shard sample_shard(const SessionLog& log) {
  Shard shard;
  shard.pack(log, even_sessions(log, shard_sessions));
  return shard;
}

/// The sums of a shard's click predictions and of what was observed, over the documents whose click
/// is possible under the model given the clicks above, by the weights of sessions.
struct ComparedClicks {
  double predicted = 0, observed = 0;
  double possible = 0;  // number of those documents
  bool all_possible = true;
};

ComparedClicks compare(const Shard& shard, std::span<const double> log_p) {
  ComparedClicks result;
  for (std::size_t k = 0; k < shard.longest(); ++k)
    for (std::size_t j = 0; j < shard.count(k); ++j) {
      const std::size_t i = shard.begin(k) + j;
      if (log_p[i] == -HUGE_VAL) {
        result.all_possible = false;
        continue;
      }
      const double weight = shard.weights().empty() ? 1 : static_cast<double>(shard.weights()[j]);
      const double observed = shard.targets().empty() ? static_cast<double>(shard.clicks()[i])
                                                      : static_cast<double>(shard.targets()[i]);
      result.predicted += weight * std::exp(log_p[i]);
      result.observed += weight * observed;
      result.possible += weight;
    }
  return result;
}

/// Returns the click rate of a log, or the mean of its targets if it has some.
double mean_target(const SessionLog& log) {
  const std::span<const float> targets = log.targets();
  if (targets.empty()) return log.click_rate();
  return std::accumulate(targets.begin(), targets.end(), 0.0) / static_cast<double>(targets.size());
}

/// Returns the click rate to start at for the documents that were compared. If all documents of the
/// shard were, that is the rate of the whole log, which is more exact. A log without clicks, or
/// with clicks only, would send the logits to infinity.
double starting_rate(const ComparedClicks& compared, const SessionLog& log) {
  const double rate =
      compared.all_possible ? mean_target(log) : compared.observed / compared.possible;
  const double half_a_click = 0.5 / std::max(1.0, log.weighted_documents());
  return std::clamp(rate, half_a_click, 1 - half_a_click);
}

}  // namespace

double start_at_click_rate(const TrainableModel& model, const SessionLog& train) {
  const Shard shard = sample_shard(train);
  ClickPrograms programs(model, ProgramKind::conditional);
  const auto divided = divide_tables(model);
  const auto compared = [&] {
    if (divided) divided->fetch({&shard, 1});
    const auto rows = divided ? divided->rows(0) : std::span<const std::uint32_t>();
    return compare(shard, programs.run(shard, {}, rows).log_p());
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

  const ComparedClicks before = compared();
  const double target = starting_rate(before, train) * before.possible;
  constexpr double largest = 15;
  double low = -largest, high = largest;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    shift_to(middle);
    (compared().predicted < target ? low : high) = middle;
  }
  return compared().predicted / shard.weighted_documents();
}

}  // namespace ultr
