#pragma once

#include "layers/hidden_layers.h"
#include "layers/tower.h"

namespace ultr {

/// A multi-layer perceptron: hidden layers and an affine output layer.
class MlpTower final : public Tower {
 public:
  MlpTower(const HiddenLayerOptions& options, const LayerSetting& setting)
      : Tower("mlp", setting, ".output", options.widths.back(), options.widths.size()),
        hidden_(options, setting.features, setting, 0) {}

  /// Columns of the first affine layer's output.
  std::int64_t encoding_width() const { return hidden_.layers().front().weights().columns(); }
  /// The logits of features, with the tower held constant and `shift` added inside (see
  /// HiddenLayers::frozen).
  Tensor frozen_score(Tensor features, Tensor shift) const {
    return last_layer().frozen_score(hidden_.frozen(features, shift));
  }

 private:
  Tensor representation(Tensor features, const Inputs& inputs) const override {
    return hidden_(features, inputs);
  }
  GraphValue representation(GraphBuilder& build, GraphValue features) const override {
    return hidden_.graph(build, features);
  }
  std::vector<const AffineLayer*> inner_layers() const override {
    std::vector<const AffineLayer*> all;
    for (const AffineLayer& layer : hidden_.layers()) all.push_back(&layer);
    return all;
  }

  HiddenLayers hidden_;
};

/// Options of `mlp`.
struct MlpTowerOptions final : LayerOptions {
  HiddenLayerOptions hidden{.widths = {512, 256, 128}};

  void fields(Fields& f) override {
    LayerOptions::fields(f);
    hidden.fields(f);
  }
  /// Throws ConfigError if the options do not fit together (see HiddenLayerOptions::check).
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override {
    hidden.check(setting.name);
    return std::make_unique<MlpTower>(hidden, setting);
  }
};

}  // namespace ultr
