#pragma once

#include "layers/hidden_layers.h"
#include "layers/tower.h"

namespace ultr {

/// Options of `deep_cross`.
struct DeepCrossTowerOptions final : LayerOptions {
  std::int64_t cross_layers = 2;
  std::string structure = "stacked";
  HiddenLayerOptions hidden{.widths = {256, 128}};

  void fields(Fields& f) override;
  /// Throws ConfigError if the options do not fit together (see HiddenLayerOptions::check).
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

/// A deep & cross network (DCN v2, Wang et al., 2021). Cross layer l maps the features x_0 and the
/// output x_l of the layer before it to
///
///     x_{l+1} = x_0 * (x_l W_l + b_l) + x_l     (* elementwise)
///
/// If stacked, the hidden layers take the output of the last cross layer. If parallel, they take
/// the features, and the last layer takes the output of the cross layers followed by theirs.
class DeepCrossTower final : public Tower {
 public:
  DeepCrossTower(const DeepCrossTowerOptions& options, const LayerSetting& setting);

 private:
  Tensor representation(Tensor features, const Inputs& inputs) const override;
  GraphValue representation(GraphBuilder& build, GraphValue features) const override;
  std::vector<const AffineLayer*> inner_layers() const override;

  bool parallel_;
  std::vector<AffineLayer> cross_;
  HiddenLayers hidden_;
};

}  // namespace ultr
