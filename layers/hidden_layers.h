#pragma once

#include "layers/affine_layer.h"

namespace ultr {

/// The hidden layers of a multi-layer perceptron, as options of a tower.
struct HiddenLayerOptions {
  std::vector<std::int64_t> widths;
  std::string activation = "relu";
  std::string initialisation = "usual";
  std::vector<double> dropout = {0};

  void fields(Fields& f);
  /// Throws ConfigError naming the tower's parameter if there is no layer, or neither one rate of
  /// dropout for all nor one a layer.
  void check(const std::string& parameter) const;
};

/// Affine layers, each followed by an activation and, in training, dropout of what it gives.
class HiddenLayers {
 public:
  /// `inputs`: columns of what they are applied to; `first_number`: layers of the tower before
  /// them. The options must have passed their check.
  HiddenLayers(const HiddenLayerOptions& options, std::int64_t inputs, const LayerSetting& setting,
               std::uint64_t first_number);

  Tensor operator()(Tensor x, const Inputs& inputs) const;
  /// The same in a graph, without dropout.
  GraphValue graph(GraphBuilder& build, GraphValue x) const;
  const std::vector<AffineLayer>& layers() const { return layers_; }

 private:
  std::vector<AffineLayer> layers_;
  Activation activation_;
  std::vector<double> dropout_;  // a rate a layer
  std::uint32_t salt_;           // of the first layer's dropout
};

}  // namespace ultr
