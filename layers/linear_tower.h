#pragma once

#include "layers/tower.h"

namespace ultr {

/// Options of `linear`.
struct LinearTowerOptions final : LayerOptions {
  void fields(Fields& f) override;
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

/// A weighted sum of features, and a bias.
class LinearTower final : public Tower {
 public:
  explicit LinearTower(const LayerSetting& setting);

  /// Of domains whose entries have a weight of their own; empty for documents.
  std::string formula() const override;

 private:
  Tensor representation(Tensor features, const Inputs&) const override { return features; }
  GraphValue representation(GraphBuilder&, GraphValue features) const override { return features; }
};

}  // namespace ultr
