#include "layers/linear_tower.h"

#include <fmt/core.h>

namespace ultr {

std::unique_ptr<LogitLayer> LinearTowerOptions::build(const LayerSetting& setting) const {
  return std::make_unique<LinearTower>(setting);
}

LinearTower::LinearTower(const LayerSetting& setting)
    : Tower("linear", setting, "", setting.features, 0) {}

std::string LinearTower::formula() const {
  if (!per_entry()) return {};
  return fmt::format("{} + {}[e]", last_layer().bias().name(), last_layer().weights().name());
}

}  // namespace ultr
