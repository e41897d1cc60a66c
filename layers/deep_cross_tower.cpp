#include "layers/deep_cross_tower.h"

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/slice.h"

namespace ultr {
namespace {

bool is_parallel(const DeepCrossTowerOptions& options) { return options.structure == "parallel"; }

std::uint64_t count_cross_layers(const DeepCrossTowerOptions& options) {
  return static_cast<std::uint64_t>(options.cross_layers);
}

}  // namespace

void DeepCrossTowerOptions::fields(Fields& f) {
  LayerOptions::fields(f);
  f.integer("cross_layers", cross_layers,
            "Number of cross layers; each adds one to the degree of feature products.",
            between(1, 64));
  f.word("structure", structure,
         "Hidden layers follow the cross layers (stacked), or run beside them (parallel).",
         {"stacked", "parallel"});
  hidden.fields(f);
}

std::unique_ptr<LogitLayer> DeepCrossTowerOptions::build(const LayerSetting& setting) const {
  hidden.check(setting.name);
  return std::make_unique<DeepCrossTower>(*this, setting);
}

DeepCrossTower::DeepCrossTower(const DeepCrossTowerOptions& options, const LayerSetting& setting)
    : Tower("deep_cross", setting, ".output",
            options.hidden.widths.back() + (is_parallel(options) ? setting.features : 0),
            count_cross_layers(options) + options.hidden.widths.size()),
      parallel_(is_parallel(options)),
      hidden_(options.hidden, setting.features, setting, count_cross_layers(options)) {
  for (std::uint64_t i = 0; i < count_cross_layers(options); ++i)
    cross_.emplace_back(fmt::format("{}.cross_{}", setting.name, i + 1), setting.features,
                        setting.features, Initialisation::glorot, setting, i);
}

Tensor DeepCrossTower::representation(Tensor features, const Inputs& inputs) const {
  Tensor crossed = features;
  for (const AffineLayer& layer : cross_) crossed = features * layer(crossed) + crossed;
  if (parallel_) return concat_columns(crossed, hidden_(features, inputs));
  return hidden_(crossed, inputs);
}

GraphValue DeepCrossTower::representation(GraphBuilder& build, GraphValue features) const {
  GraphValue crossed = features;
  for (const AffineLayer& layer : cross_)
    crossed = build.add(build.multiply(features, layer.graph(build, crossed)), crossed);
  if (parallel_) return build.concat_columns(crossed, hidden_.graph(build, features));
  return hidden_.graph(build, crossed);
}

std::vector<const AffineLayer*> DeepCrossTower::inner_layers() const {
  std::vector<const AffineLayer*> all;
  for (const AffineLayer& layer : cross_) all.push_back(&layer);
  for (const AffineLayer& layer : hidden_.layers()) all.push_back(&layer);
  return all;
}

}  // namespace ultr
