#pragma once

#include <fmt/core.h>

#include "layers/tower.h"

namespace ultr {

/// A weighted sum of features plus a bias.
class LinearTower final : public Tower {
 public:
  explicit LinearTower(const LayerSetting& setting)
      : Tower("linear", setting, "", setting.features, 0) {}

  /// Empty for domains with features. In other domains each entry has a weight of its own.
  std::string formula() const override {
    if (!per_entry()) return {};
    return fmt::format("{} + {}[e]", last_layer().bias().name(), last_layer().weights().name());
  }

 private:
  Tensor representation(Tensor features, const Inputs&) const override { return features; }
  GraphValue representation(GraphBuilder&, GraphValue features) const override { return features; }
};

/// Options of `linear`.
struct LinearTowerOptions final : LayerOptions {
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override {
    return std::make_unique<LinearTower>(setting);
  }
};

}  // namespace ultr
