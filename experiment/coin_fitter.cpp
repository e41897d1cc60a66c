#include "experiment/coin_fitter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "experiment/parallel_shards.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

/// Minus the gradients of a program that is minus what counts.
std::vector<double> negated(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

}  // namespace

CoinFitter::CoinFitter(Story story, const PseudoTosses& pseudo, const FitSetting& setting)
    : story_(story),
      pseudo_(pseudo),
      setting_(setting),
      loss_(setting.model,
            story == Story::own ? ProgramKind::exact_loss : ProgramKind::complete_loss,
            setting.threads) {
  for (const TrainableModel::Layer& layer : setting.model.layers())
    if (!layer.layer->entry_logits())
      throw ConfigError(
          fmt::format("'{}' is not one number an entry, so its probabilities cannot be set one by "
                      "one; expected "
                      "a table or a plain embedding",
                      layer.name));
  FullPass count(setting.model,
                 story == Story::own ? ProgramKind::tosses : ProgramKind::complete_tosses,
                 setting.threads);
  for (const auto& gradient : count(setting.train, {}).gradients)
    tosses_.push_back(negated(gradient));
  if (story == Story::own) expect_possible_sessions();
}

void CoinFitter::expect_possible_sessions() const {
  std::vector<ClickPrograms> programs;
  for (int t = 0; t < setting_.threads; ++t)
    programs.emplace_back(setting_.model, ProgramKind::exact_loss);
  std::vector<std::uint8_t> possible(count_shards(setting_.train));
  for_each_shard(setting_.train, setting_.threads,
                 [&](std::size_t worker, std::size_t number, const Shard& shard) {
                   possible[number] = std::isfinite(programs[worker].run(shard).loss()) ? 1 : 0;
                 });
  const auto bad = std::find(possible.begin(), possible.end(), 0);
  if (bad == possible.end()) return;
  auto session = static_cast<std::uint32_t>(bad - possible.begin()) *
                 static_cast<std::uint32_t>(shard_sessions);
  for (Shard shard;; ++session) {
    shard.pack(setting_.train, std::array{session});
    if (!std::isfinite(programs[0].run(shard).loss())) break;
  }
  throw ConfigError(fmt::format(
      "the clicks of training session {} are impossible under the model, so that there is no "
      "likelihood to maximise",
      session + 1));
}

FitPass CoinFitter::pass(std::int64_t, const std::function<void(std::size_t)>& progress) {
  const FullPass::Sums& sums = loss_(setting_.train, progress);
  const std::vector<Parameter*> parameters = setting_.model.parameters();
  const auto evidence = [&](const Parameter* parameter) -> CoinEvidence {
    const auto at = static_cast<std::size_t>(
        std::find(parameters.begin(), parameters.end(), parameter) - parameters.begin());
    return {negated(sums.gradients[at]), tosses_[at]};
  };
  for (const TrainableModel::Layer& layer : setting_.model.layers()) {
    const EntryLogits logits = *layer.layer->entry_logits();
    if (layer.domain == Domain::alternative)
      maximise_shares(*logits.values, evidence(logits.values));
    else
      maximise_coins(logits, evidence(logits.values), pseudo_);
  }
  ++passes_;
  return {.loss = sums.value / static_cast<double>(setting_.train.documents())};
}

}  // namespace ultr
