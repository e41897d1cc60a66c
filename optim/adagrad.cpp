#include "optim/adagrad.h"

#include <algorithm>
#include <limits>

#include "optim/rule_optimizer.h"

namespace ultr {
namespace {

struct AdagradRule {
  static constexpr int states = 1;
  float epsilon, weight_decay;
  float learning_rate = 0;

  void begin_step(double rate, std::int64_t) { learning_rate = static_cast<float>(rate); }

  template <class P>
  void operator()(P& value, std::array<P, 1>& state, P gradient, bool decays) const {
    if (decays) gradient += P::broadcast(weight_decay) * value;
    state[0] += gradient * gradient;
    value =
        value - P::broadcast(learning_rate) * gradient / (sqrt(state[0]) + P::broadcast(epsilon));
  }
};

}  // namespace

void AdagradOptions::fields(Fields& f) {
  OptimizerOptions::fields(f);
  f.number("epsilon", epsilon, "Added to the square root of the summed squared gradients, ε.",
           above(0));
}

std::unique_ptr<Optimizer> AdagradOptions::build() const {
  // Not 0 in float32: a parameter without any gradient yet would become 0 / 0.
  const float above_zero = std::max(static_cast<float>(epsilon), std::numeric_limits<float>::min());
  return std::make_unique<RuleOptimizer<AdagradRule>>(
      AdagradRule{above_zero, static_cast<float>(weight_decay)});
}

}  // namespace ultr
