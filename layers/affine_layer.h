#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "layers/logit_layer.h"

namespace ultr {

/// The elementwise function that follows an affine layer; `none` is the identity.
enum class Activation : std::uint8_t { none, relu, elu, tanh };
/// Names of the activations that a tower offers, in the order of the enum.
const std::vector<std::string>& activation_names();
/// Returns the activation with this name. Throws Error if activation_names() does not have it.
Activation activation_called(std::string_view name);
/// Applies the activation elementwise: on a tape, or as part of a graph.
Tensor activate(Activation activation, Tensor x);
GraphValue activate(Activation activation, GraphBuilder& build, GraphValue x);

/// The variance of the normal distribution that initial weights are drawn from.
enum class Initialisation : std::uint8_t {
  he,      // 2 / inputs (He et al., 2015): keeps the scale of signals through relu and elu
  glorot,  // 2 / (inputs + outputs) (Glorot and Bengio, 2010): the same for tanh and linear layers
};
/// Returns `he` for relu and elu, `glorot` for all others.
Initialisation usual_initialisation(Activation activation);

/// Draws weights [inputs, outputs] from a normal distribution around 0. The setting's seed and
/// number, and the layer's `number` in its tower, determine the random numbers.
void draw_weights(DenseParameter& weights, Initialisation initialisation,
                  const LayerSetting& setting, std::uint64_t number);

/// An affine layer x W + b of a tower. Its weights [inputs, outputs] are subject to weight decay.
/// Its biases [outputs] start at 0 and are not.
class AffineLayer {
 public:
  /// Names the parameters `name`.weights and `name`.bias, and draws the weights (see draw_weights).
  /// `number` is the number of this layer in its tower.
  AffineLayer(const std::string& name, std::int64_t inputs, std::int64_t outputs,
              Initialisation initialisation, const LayerSetting& setting, std::uint64_t number);

  /// x W + b: [n, inputs] -> [n, outputs].
  Tensor operator()(Tensor x) const;
  /// x W + b of a layer with a single output: [n, inputs] -> [n].
  Tensor score(Tensor x) const;
  /// As above, with weights and biases held constant: gradients reach x alone.
  Tensor frozen(Tensor x) const;
  Tensor frozen_score(Tensor x) const;
  /// Adds x W + b to a graph.
  GraphValue graph(GraphBuilder& build, GraphValue x) const;

  DenseParameter& weights() const { return *weights_; }
  DenseParameter& bias() const { return *bias_; }

 private:
  // Recorded programs point to the parameters, so these must stay in place if the layer is moved.
  std::unique_ptr<DenseParameter> weights_, bias_;
};

}  // namespace ultr
