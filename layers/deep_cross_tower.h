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
  /// Throws ConfigError if the options do not fit together.
  std::unique_ptr<LogitLayer> build(const LayerSetting& setting) const override;
};

/// A deep & cross network (DCN v2, Wang et al., 2021). Cross layer l maps the features x_0 to
///
///     x_{l+1} = x_0 * (x_l W_l + b_l) + x_l     (* elementwise)
///
/// Stacked, hidden layers go on from what the last cross layer gives. Parallel, they start from the
/// features, and the last layer sees what the cross layers give followed by what they give.
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
