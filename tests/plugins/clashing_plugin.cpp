#include "experiment/plugin.h"
#include "models/models.h"

/// A plugin that adds a model under a name that ultr has.
void ultr_register(ultr::Registry& registry) {
  registry.add(ultr::model_type<ultr::PositionBasedModel>("pbm", "Another."));
}
