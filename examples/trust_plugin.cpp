#include "experiment/plugin.h"
#include "trust_pbm.h"

/// Adds the model to any ultr-run: ultr-run --plugin libtrust.so trust_pbm.yaml
void ultr_register(ultr::Registry& registry) {
  registry.add(ultr::model_type<TrustPbm>("trust_pbm", "Position-based model with trust bias."));
}
