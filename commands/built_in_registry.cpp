#include "commands/built_in_registry.h"

#include "analyses/analyses.h"
#include "data/readers.h"
#include "experiment/experiment_options.h"
#include "layers/layers.h"
#include "losses/losses.h"
#include "models/models.h"
#include "optim/optim.h"
#include "sources/feature_list_data.h"
#include "sources/simulation.h"

namespace ultr {
namespace {

/// The loss of click models has no options.
struct LikelihoodOptions final : Options {
  void fields(Fields&) override {}
};

}  // namespace

Registry built_in_registry() {
  Registry registry;
  for (const OptionType& type : layer_types()) registry.add_layer(type);
  for (const OptionType& type : optimizer_types()) registry.add_optimizer(type);
  for (const ModelType& type : model_types()) registry.add(type);
  registry.add_loss(option_type<LikelihoodOptions>(
      likelihood_loss, "Negative log-likelihood of the clicks under the click model `model`."));
  for (const ModelType& type : ranking_losses()) registry.add_loss(type);
  for (const ReaderType& type : reader_types()) registry.add(type);
  const auto make_another = [&choice = registry.plugin_choice()] {
    Registry another = built_in_registry();
    another.choose_plugins(choice);
    return another;
  };
  registry.add_data(feature_list_type(registry.models(), registry.layers(), make_another));
  registry.add_data(simulation_type(registry.models()));
  for (OptionType& type : analysis_types(registry)) registry.add_analysis(std::move(type));
  return registry;
}

}  // namespace ultr
