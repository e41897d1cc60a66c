#include "training/fitters.h"

#include <fmt/core.h>

#include "optim/coins.h"
#include "options/config_tree.h"
#include "training/coin_fitter.h"
#include "training/gradient_fitter.h"

namespace ultr {
namespace {

std::unique_ptr<Fitter> make_coin_fitter(const char* type, CoinFitter::Story story,
                                         const PseudoTosses& pseudo, const FitSetting& setting) {
  if (setting.model.setting().processes != nullptr)
    throw ConfigError(fmt::format(
        "optimizer: '{}' needs all sessions and tables at once, which cannot be divided over {} "
        "processes; expected a gradient-based optimizer, or one process",
        type, setting.model.setting().processes->size()));
  if (setting.options.mean() != LossMean::documents)
    throw ConfigError(fmt::format(
        "optimizer: '{}' maximises the likelihood; expected train.loss_mean to be documents",
        type));
  try {
    return std::make_unique<CoinFitter>(story, pseudo, setting);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("optimizer: '{}' cannot fit '{}': {}", type, setting.model.type(),
                                  error.what()));
  }
}

}  // namespace

std::unique_ptr<Fitter> make_fitter(const FitOptions& options, const FitSetting& setting) {
  if (const auto* em = dynamic_cast<const EmOptions*>(&options))
    return make_coin_fitter("em", CoinFitter::Story::own, em->pseudo, setting);
  if (const auto* counting = dynamic_cast<const CountingOptions*>(&options))
    return make_coin_fitter("counting", CoinFitter::Story::complete, counting->pseudo, setting);
  return std::make_unique<GradientFitter>(dynamic_cast<const OptimizerOptions&>(options), setting);
}

}  // namespace ultr
