#include "training/coin_fitter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "options/config_tree.h"

namespace ultr {
CoinFitter::CoinFitter(Story story, const PseudoTosses& pseudo, const FitSetting& setting)
    : story_(story),
      pseudo_(pseudo),
      setting_(setting),
      loss_(setting.model,
            story == Story::own ? ProgramKind::exact_loss : ProgramKind::complete_loss,
            setting.train, setting.threads) {
  for (const TrainableModel::Layer& layer : setting.model.layers())
    if (!layer.layer->entry_logits())
      throw ConfigError(
          fmt::format("'{}' does not have one logit per entry, so its probabilities cannot be set "
                      "one by one; expected a table or a plain embedding",
                      layer.name));
  LogPass count(setting.model,
                story == Story::own ? ProgramKind::tosses : ProgramKind::complete_tosses,
                setting.train, setting.threads);
  count();
  for (const TrainableModel::Layer& layer : setting.model.layers())
    tosses_.push_back(count.gradient(layer.layer->entry_logits()->values));
}

void CoinFitter::refuse_impossible_sessions() const {
  ClickPrograms programs(setting_.model, ProgramKind::exact_loss);
  std::uint32_t session = 0;
  for (Shard shard; session < setting_.train.sessions(); ++session) {
    shard.pack(setting_.train, std::array{session});
    if (!std::isfinite(programs.run(shard).loss())) break;
  }
  throw ConfigError(fmt::format(
      "the clicks of training session {} are impossible under the model, so there is no "
      "likelihood to maximise",
      session + 1));
}

PassResult CoinFitter::pass(std::int64_t, const std::function<void(std::size_t)>& progress) {
  const double log_likelihood = loss_(progress);
  if (story_ == Story::own && !std::isfinite(log_likelihood)) refuse_impossible_sessions();
  for (std::size_t i = 0; i < tosses_.size(); ++i) {
    const TrainableModel::Layer& layer = setting_.model.layers()[i];
    const EntryLogits logits = *layer.layer->entry_logits();
    const CoinEvidence evidence{loss_.gradient(logits.values), tosses_[i]};
    if (layer.domain == Domain::alternative)
      maximise_shares(*logits.values, evidence);
    else
      maximise_coins(logits, evidence, pseudo_);
  }
  ++passes_;
  return {.loss = -log_likelihood / static_cast<double>(setting_.train.documents())};
}

}  // namespace ultr
