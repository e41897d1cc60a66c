#include "experiment/plugin.h"
#include "focal_loss.h"

/// Adds the loss to any ultr-run: ultr-run --plugin libfocal.so focal_loss.yaml
void ultr_register(ultr::Registry& registry) {
  registry.add_loss(ultr::model_type<FocalLoss>("focal", "Focal loss of two towers."));
}
