#pragma once

#include <cstddef>

namespace ultr {

class Parameter;

/// A value of a graph that is being built: a matrix with a row a document.
struct GraphValue {
  std::size_t number = 0;  // of those of its builder
};

/// Builds a graph of what a trained layer computes, outside of any tape, so that other programs can
/// run it (see LogitLayer::graph). Parameters are copied as they are at the call.
class GraphBuilder {
 public:
  virtual ~GraphBuilder() = default;
  /// x W + b: [n, inputs] -> [n, outputs], of weights [inputs, outputs] and a bias [outputs].
  virtual GraphValue affine(GraphValue x, const Parameter& weights, const Parameter& bias) = 0;
  // Elementwise; see autograd/activations.h for the formulas.
  virtual GraphValue relu(GraphValue x) = 0;
  virtual GraphValue elu(GraphValue x) = 0;
  virtual GraphValue tanh(GraphValue x) = 0;
  virtual GraphValue add(GraphValue a, GraphValue b) = 0;
  virtual GraphValue multiply(GraphValue a, GraphValue b) = 0;
  /// The columns of a followed by those of b.
  virtual GraphValue concat_columns(GraphValue a, GraphValue b) = 0;
};

}  // namespace ultr
