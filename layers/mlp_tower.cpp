#include "layers/mlp_tower.h"

namespace ultr {

void MlpTowerOptions::fields(Fields& f) {
  LayerOptions::fields(f);
  hidden.fields(f);
}

std::unique_ptr<LogitLayer> MlpTowerOptions::build(const LayerSetting& setting) const {
  hidden.check(setting.name);
  return std::make_unique<MlpTower>(hidden, setting);
}

MlpTower::MlpTower(const HiddenLayerOptions& options, const LayerSetting& setting)
    : Tower("mlp", setting, ".output", options.widths.back(), options.widths.size()),
      hidden_(options, setting.features, setting, 0) {}

Tensor MlpTower::representation(Tensor features, const Inputs& inputs) const {
  return hidden_(features, inputs);
}

GraphValue MlpTower::representation(GraphBuilder& build, GraphValue features) const {
  return hidden_.graph(build, features);
}

std::vector<const AffineLayer*> MlpTower::inner_layers() const {
  std::vector<const AffineLayer*> all;
  for (const AffineLayer& layer : hidden_.layers()) all.push_back(&layer);
  return all;
}

}  // namespace ultr
