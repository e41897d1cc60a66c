#include "autograd/gradient_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"

namespace ultr {

std::string GradientReport::to_string() const {
  return fmt::format(
      "worst of {} entries: {}[{}]: tape {:.12g}, differences {:.12g} (step {:.3g}), error {:.3g}",
      entries, worst.parameter, worst.index, worst.analytic, worst.numeric, worst.step,
      worst.error);
}

GradientReport check_gradient(const std::function<double()>& loss,
                              std::span<const CheckedValues> parameters) {
  GradientReport report;
  report.worst.error = -1;
  for (const CheckedValues& parameter : parameters) {
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
      double& x = parameter.values[i];
      const double original = x;
      const double step = 1e-6 * std::max(1.0, std::abs(original));
      x = original + step;
      const double above = x, loss_above = loss();
      x = original - step;
      const double below = x, loss_below = loss();
      x = original;
      GradientEntry entry{parameter.name, i, parameter.gradient[i], 0, step, 0};
      entry.numeric = (loss_above - loss_below) / (above - below);
      entry.error = std::abs(entry.analytic - entry.numeric) /
                    std::max({1.0, std::abs(entry.analytic), std::abs(entry.numeric)});
      ++report.entries;
      // NaN ranks as worst: it replaces every number and is never replaced.
      if (!std::isnan(report.worst.error) && !(entry.error <= report.worst.error))
        report.worst = entry;
    }
  }
  return report;
}

GradientReport check_gradient(const TensorFunction& function,
                              std::span<const CheckedInput> inputs) {
  Tape tape(Precision::float64);
  std::vector<std::vector<double>> values;
  std::vector<Tensor> variables;
  for (const CheckedInput& input : inputs) {
    values.push_back(input.values);
    variables.push_back(tape.variable(input.shape, input.values));
  }
  Tensor loss = function(tape, variables);
  if (!loss.shape().single()) {
    std::vector<double> weights(static_cast<std::size_t>(loss.size()));
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = 0.5 + std::sin(1.0 + static_cast<double>(i));
    loss = sum(loss * tape.constant(loss.shape(), weights));
  }
  tape.backward(loss);
  tape.freeze_stopped_values(true);
  std::vector<CheckedValues> checked;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    checked.push_back({inputs[i].name, values[i], variables[i].gradient()});
  return check_gradient(
      [&] {
        for (std::size_t i = 0; i < inputs.size(); ++i) tape.assign(variables[i], values[i]);
        tape.replay();
        return loss.item();
      },
      checked);
}

}  // namespace ultr
