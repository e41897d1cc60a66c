#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "autograd/tape/tape.h"

/// Gradient checks, which compare derivatives of the tape with central differences in float64.
namespace ultr {

/// One derivative, compared.
struct GradientEntry {
  std::string parameter;  // which input or parameter
  std::size_t index = 0;  // which element of it
  double analytic = 0;    // the tape's derivative
  double numeric = 0;     // (f(x + step) - f(x - step)) / (2 step)
  double step = 0;
  /// analytic - numeric| / max(1, |analytic|, |numeric|); NaN, which ranks as worst, if one is NaN
  double error = 0;
};

/// The result of a gradient check.
struct GradientReport {
  GradientEntry worst;
  std::size_t entries = 0;  // number of compared entries

  /// "worst of 12 entries: attraction[3]: tape 0.25, differences 0.24 (step 1e-06), error 0.01"
  std::string to_string() const;
};

/// Numbers that a check perturbs, with their derivatives.
struct CheckedValues {
  std::string name;
  std::span<double> values;  // perturbed one by one and restored
  std::vector<double> gradient;
};

/// Compares the given derivatives with central differences of `loss`, which must read the perturbed
/// values. The step is 1e-6 max(1, |x|).
GradientReport check_gradient(const std::function<double()>& loss,
                              std::span<const CheckedValues> parameters);

/// An input of a TensorFunction and the point at which its gradient is checked.
struct CheckedInput {
  std::string name;
  Shape shape;
  std::vector<double> values;
};

/// A function of tensors, which records on the given float64 tape. The elements of a result that is
/// not a scalar are weighted with fixed numbers and summed, so that every element counts.
using TensorFunction = std::function<Tensor(Tape&, std::span<const Tensor>)>;

/// Checks the gradients of `function` with respect to all inputs at the given values. Values that
/// pass through stop_gradient are held constant.
GradientReport check_gradient(const TensorFunction& function, std::span<const CheckedInput> inputs);

}  // namespace ultr
