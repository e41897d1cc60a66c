#include "sources/feature_tower.h"

#include "base/error.h"
#include "options/config_tree.h"
#include "options/read.h"
#include "training/fitters.h"
#include "training/predictor.h"

namespace ultr {
namespace {

/// Tokens that a tower knows when its options are checked: enough to have those of special meaning.
constexpr std::int64_t most_known_tokens = 1 << 15;

}  // namespace

FeatureTowerOptions::FeatureTowerOptions(ModelType loss, const std::vector<OptionType>& layers)
    : tower_(std::move(loss), no_models_, layers) {
  read_options(parse_config("relevance: {type: mlp, widths: [32, 32], activation: elu}", "default"),
               tower_);
  adam_.weight_decay = 0.01;
  train_.epochs = 20;
  train_.batch_size = 32;
}

void FeatureTowerOptions::fields(Fields& f) {
  tower_.fields(f);
  f.number("learning_rate", adam_.learning_rate, "Learning rate of AdamW.", above(0));
  f.number("weight_decay", adam_.weight_decay, "Weight decay of AdamW.", at_least(0));
  f.integer("epochs", train_.epochs, "Passes over the training lists.", between(1, 1e6));
  f.integer("batch_size", train_.batch_size, "Training lists per step.", between(1, 1e9));
}

void FeatureTowerOptions::check() const {  // what does not fit shows when a tower is built
  FeatureTable features(std::vector<float>(1), 1);
  features.set_tokens({{}, most_known_tokens});
  const TrainableModel model = tower_.build({.features = std::move(features)});
  if (Predictor(model, 1).reads_dictionary())
    throw ConfigError(
        "relevance: has a number for each document; expected a layer over features or words, "
        "since a policy orders documents that it has not seen");
}

TrainableModel FeatureTowerOptions::train(const SessionLog& lists, std::uint64_t seed,
                                          int threads) const {
  const FeatureTable& its = lists.features();
  FeatureTable known(std::vector<float>(static_cast<std::size_t>(its.count())), its.count(), 0,
                     its.may_miss());  // row 0 alone
  known.set_tokens({{}, its.tokens().vocabulary()});
  TrainableModel model = tower_.build({.positions = static_cast<std::int64_t>(lists.positions()),
                                       .seed = seed,
                                       .features = std::move(known),
                                       .train = &lists});
  const auto fitter = make_fitter(
      adam_, {.model = model, .train = lists, .options = train_, .seed = seed, .threads = threads});
  for (std::int64_t epoch = 1; epoch <= train_.epochs; ++epoch)
    fitter->pass(epoch, [](std::size_t) {});
  return model;
}

}  // namespace ultr
