#pragma once

#include "layers/hidden_layers.h"
#include "layers/tower.h"

namespace ultr {

/// Options of `mlp`.
struct MlpTowerOptions final : LayerOptions {
  HiddenLayerOptions hidden{.widths = {512, 256, 128}};

  void fields(Fields& f) override;
  /// Throws ConfigError if the options do not fit together (see HiddenLayerOptions::check).
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

/// A multi-layer perceptron: hidden layers and an affine output layer.
class MlpTower final : public Tower {
 public:
  MlpTower(const HiddenLayerOptions& options, const LayerSetting& setting);

 private:
  Tensor representation(Tensor features, const Inputs& inputs) const override;
  GraphValue representation(GraphBuilder& build, GraphValue features) const override;
  std::vector<const AffineLayer*> inner_layers() const override;

  HiddenLayers hidden_;
};

}  // namespace ultr
