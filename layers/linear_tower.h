#pragma once

#include "layers/tower.h"

namespace ultr {

/// Options of `linear`.
struct LinearTowerOptions final : LayerOptions {
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

/// A weighted sum of features plus a bias.
class LinearTower final : public Tower {
 public:
  explicit LinearTower(const LayerSetting& setting);

  /// Empty for domains with features. In other domains each entry has a weight of its own.
  std::string formula() const override;

 private:
  Tensor representation(Tensor features, const Inputs&) const override { return features; }
  GraphValue representation(GraphBuilder&, GraphValue features) const override { return features; }
};

}  // namespace ultr
