#pragma once

#include "layers/affine_layer.h"

namespace ultr {

/// Options of a tower that describe the hidden layers of a multi-layer perceptron.
struct HiddenLayerOptions {
  std::vector<std::int64_t> widths;
  std::string activation = "relu";
  std::string initialisation = "usual";
  std::vector<double> dropout = {0};

  void fields(Fields& f);
  /// Throws ConfigError, naming the tower's parameter, unless there are 1 to 64 layers and one
  /// dropout rate for all of them or one per layer.
  void check(const std::string& parameter) const;
};

/// Affine layers, each followed by an activation and, in training, by dropout of its outputs.
class HiddenLayers {
 public:
  /// `inputs`: columns of the matrix that the first layer takes. `first_number`: number of layers
  /// of the tower before these. The options must have passed their check.
  HiddenLayers(const HiddenLayerOptions& options, std::int64_t inputs, const LayerSetting& setting,
               std::uint64_t first_number);

  /// Applies the layers: [n, inputs] -> [n, last width]. Nothing is dropped if the inputs have no
  /// noise.
  Tensor operator()(Tensor x, const Inputs& inputs) const;
  /// Applies the layers, held constant and without dropout, with `shift` added to the first affine
  /// layer's output, before its activation. shift: [n, first width], or one row for all.
  Tensor frozen(Tensor x, Tensor shift) const;
  /// Adds the layers to a graph, without dropout.
  GraphValue graph(GraphBuilder& build, GraphValue x) const;
  const std::vector<AffineLayer>& layers() const { return layers_; }

 private:
  std::vector<AffineLayer> layers_;
  Activation activation_;
  std::vector<double> dropout_;  // one rate per layer
  std::uint32_t salt_;           // for the first layer's dropout; the next layers count on from it
};

}  // namespace ultr
