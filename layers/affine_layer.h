#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "layers/logit_layer.h"

namespace ultr {

/// What follows an affine layer, elementwise.
enum class Activation : std::uint8_t { none, relu, elu, tanh };
/// The names of those that a tower offers, in order.
const std::vector<std::string>& activation_names();
/// Throws Error if the name is not among them.
Activation activation_called(std::string_view name);
Tensor activate(Activation activation, Tensor x);
GraphValue activate(Activation activation, GraphBuilder& build, GraphValue x);

/// The variance that normally distributed weights start with.
enum class Initialisation : std::uint8_t {
  he,      // 2 / inputs (He et al., 2015): keeps the scale of signals through relu and elu
  glorot,  // 2 / (inputs + outputs) (Glorot and Bengio, 2010): through tanh and linear layers
};
Initialisation usual_initialisation(Activation activation);

/// Draws weights [inputs, outputs] by a tower's setting and the `number` of their layer in it.
void draw_weights(DenseParameter& weights, Initialisation initialisation,
                  const LayerSetting& setting, std::uint64_t number);

/// The part of a tower that computes x W + b: weights [inputs, outputs], which decay, and biases,
/// which start at 0 and do not.
class AffineLayer {
 public:
  /// Its parameters are called `name`.weights and `name`.bias. Layers of a tower draw their weights
  /// by the tower's setting and their `number` in it.
  AffineLayer(const std::string& name, std::int64_t inputs, std::int64_t outputs,
              Initialisation initialisation, const LayerSetting& setting, std::uint64_t number);

  /// x W + b: [n, inputs] -> [n, outputs].
  Tensor operator()(Tensor x) const;
  /// The same of a layer with a single output: [n, inputs] -> [n].
  Tensor score(Tensor x) const;
  /// x W + b in a graph.
  GraphValue graph(GraphBuilder& build, GraphValue x) const;

  DenseParameter& weights() const { return *weights_; }
  DenseParameter& bias() const { return *bias_; }

 private:
  // Programs point to the parameters, which therefore stay where they are.
  std::unique_ptr<DenseParameter> weights_, bias_;
};

}  // namespace ultr
