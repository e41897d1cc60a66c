#pragma once

#include <cstddef>
#include <span>

#include "layers/regression_tree.h"

namespace ultr {

class Parameter;

/// A value of a graph that is being built: a matrix with one row per document.
struct GraphValue {
  std::size_t number = 0;  // among the values of its builder
};

/// Builds a graph of a trained layer's computation outside of any tape, so that other programs can
/// run it (see LogitLayer::graph). Each call copies the current values of its parameters.
class GraphBuilder {
 public:
  virtual ~GraphBuilder() = default;
  /// x W + b: [n, inputs] -> [n, outputs], with weights [inputs, outputs] and a bias [outputs].
  virtual GraphValue affine(GraphValue x, const Parameter& weights, const Parameter& bias) = 0;
  // Elementwise; see autograd/ops/activations.h for the formulas.
  virtual GraphValue relu(GraphValue x) = 0;
  virtual GraphValue elu(GraphValue x) = 0;
  virtual GraphValue tanh(GraphValue x) = 0;
  virtual GraphValue add(GraphValue a, GraphValue b) = 0;
  virtual GraphValue multiply(GraphValue a, GraphValue b) = 0;
  /// Concatenates columns: those of a, followed by those of b.
  virtual GraphValue concat_columns(GraphValue a, GraphValue b) = 0;
  /// start + the values of the leaves that each row of x reaches: [n, features] -> [n, 1].
  virtual GraphValue trees(GraphValue x, std::span<const RegressionTree> trees, float start) = 0;
};

}  // namespace ultr
