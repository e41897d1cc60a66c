#include "dsl/learned_position_bias.h"

#include <array>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/slice.h"
#include "base/error.h"
#include "base/sigmoid.h"
#include "data/log/pair_dictionary.h"
#include "dsl/session.h"
#include "layers/tower.h"

namespace ultr {
namespace {

/// Returns the logits of a parameter of positions, from the first position on.
std::vector<double> position_logits(const LogitParameter& parameter, const ModelSetting& setting) {
  const auto positions = static_cast<std::size_t>(setting.positions);
  Tape tape(Precision::float32, Tape::Gradients::off);
  ShardInputs inputs(tape, positions, positions, setting.features);
  ProbGraph probabilities(tape);
  const Session session(inputs, probabilities);
  const Prob coin = parameter(session);
  Tensor logits = coin.log() - coin.log_complement();
  if (logits.shape().single()) logits = repeat(logits, inputs.documents());
  tape.require(std::array{logits});

  SessionLog log;
  std::vector<std::uint16_t> shown(positions);
  std::iota(shown.begin(), shown.end(), std::uint16_t{0});
  log.add({.rows = std::vector<std::uint32_t>(positions, PairDictionary::unknown),
           .positions = shown,
           .clicks = std::vector<std::uint8_t>(positions)});
  Shard shard;
  shard.pack(log, std::array{0u});
  inputs.bind(shard);
  tape.replay();
  return logits.values();
}

}  // namespace

PositionBias PositionBias::relative_to_first(bool additive, std::vector<double> by_rank) {
  const double first = by_rank.empty() ? 1 : by_rank.front();
  for (double& x : by_rank) x = additive ? x - first : x / first;
  return {.additive = additive, .by_rank = std::move(by_rank)};
}

double mean_squared_error(const PositionBias& a, const PositionBias& b) {
  const std::size_t n = a.by_rank.size();
  if (n == 0 || n != b.by_rank.size() || a.additive != b.additive)
    throw Error(fmt::format(
        "mean_squared_error: position bias of {} and {} positions{}; expected the same for both", n,
        b.by_rank.size(), a.additive != b.additive ? ", one additive and one not" : ""));
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += std::pow(a.by_rank[k] - b.by_rank[k], 2);
  return sum / static_cast<double>(n);
}

std::optional<PositionBias> learned_position_bias(const TrainableModel& model) {
  const std::optional<PositionEffect> effect = model.story().position_effect();
  if (!effect) return std::nullopt;
  const ModelSetting& setting = model.setting();
  const bool is_tower = dynamic_cast<const Tower*>(effect->parameter.layer().get()) != nullptr;
  if (is_tower && setting.features.bias_count() > 0) return std::nullopt;
  std::vector<double> numbers = position_logits(effect->parameter, setting);
  switch (effect->scale) {
    case PositionEffect::Scale::logit:
      break;
    case PositionEffect::Scale::probability:
      for (double& x : numbers) x = sigmoid(x);
      break;
    case PositionEffect::Scale::log_propensity:
      for (double& x : numbers) x = std::exp(x);
      break;
  }
  return PositionBias::relative_to_first(effect->scale == PositionEffect::Scale::logit,
                                         std::move(numbers));
}

}  // namespace ultr
