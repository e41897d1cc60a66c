#include "optim/adam.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/rule_optimizer.h"

namespace ultr {
namespace {

/// The update rule of Adam and AdamW. Bias corrections are folded into the learning rate and ε, so
/// that they cost nothing per value: η m̂ / (√v̂ + ε) = (η √c2 / c1) m / (√v + ε √c2), where c1 =
/// 1-β1^t and c2 = 1-β2^t.
struct AdamRule {
  static constexpr int states = 2;
  double beta1, beta2, epsilon, weight_decay;
  bool decoupled;
  float rate = 0, corrected_epsilon = 0, keep = 1;

  void begin_step(double learning_rate, std::int64_t step) {
    const auto t = static_cast<double>(step);
    const double c1 = -std::expm1(t * std::log(beta1)), c2 = -std::expm1(t * std::log(beta2));
    rate = static_cast<float>(learning_rate * std::sqrt(c2) / c1);
    // Not 0 in float32: a parameter without any gradient yet would become 0 / 0.
    corrected_epsilon =
        std::max(static_cast<float>(epsilon * std::sqrt(c2)), std::numeric_limits<float>::min());
    keep = static_cast<float>(1 - learning_rate * weight_decay);
  }

  template <class P>
  void operator()(P& value, std::array<P, 2>& state, P gradient, bool decays) const {
    if (decays && decoupled) value = value * P::broadcast(keep);
    if (decays && !decoupled) gradient += P(weight_decay) * value;
    state[0] = P(beta1) * state[0] + P(1 - beta1) * gradient;
    state[1] = P(beta2) * state[1] + P(1 - beta2) * gradient * gradient;
    value =
        value - P::broadcast(rate) * state[0] / (sqrt(state[1]) + P::broadcast(corrected_epsilon));
  }
};

AdamRule rule_of(const AdamOptions& options, bool decoupled) {
  return {options.beta1, options.beta2, options.epsilon, options.weight_decay, decoupled};
}

}  // namespace

void AdamOptions::fields(Fields& f) {
  OptimizerOptions::fields(f);
  f.number("beta1", beta1, "Decay rate of the running mean of gradients, β1.", inside(0, 1));
  f.number("beta2", beta2, "Decay rate of the running mean of squared gradients, β2.",
           inside(0, 1));
  f.number("epsilon", epsilon, "Added to the square root of the mean squared gradient, ε.",
           above(0));
}

std::unique_ptr<Optimizer> AdamOptions::build() const {
  return std::make_unique<RuleOptimizer<AdamRule>>(rule_of(*this, false));
}

std::string_view AdamWOptions::weight_decay_help() const {
  return "Decoupled weight decay: each step takes lr times this share off a table row or weight.";
}

std::unique_ptr<Optimizer> AdamWOptions::build() const {
  return std::make_unique<RuleOptimizer<AdamRule>>(rule_of(*this, true));
}

}  // namespace ultr
