#include "experiment/plugin.h"
#include "layers/logit_table.h"
#include "models/models.h"
#include "optim/sgd.h"

/// A plugin that adds a type to every table.
void ultr_register(ultr::Registry& registry) {
  registry.add(ultr::model_type<ultr::PositionBasedModel>("plugged_model", "From a plugin."));
  registry.add(
      ultr::ReaderType{"plugged_format", "From a plugin.",
                       [](const auto&, const auto&, const auto&) { return ultr::ReadReport{}; }});
  registry.add_layer<ultr::LogitTableOptions>("plugged_layer", "From a plugin.");
  registry.add_optimizer<ultr::SgdOptions>("plugged_optimizer", "From a plugin.");
}
