#include "optim/sgd.h"

#include "optim/rule_optimizer.h"

namespace ultr {
namespace {

struct SgdRule {
  static constexpr int states = 1;
  float momentum, weight_decay;
  float learning_rate = 0;

  void begin_step(double rate, std::int64_t) { learning_rate = static_cast<float>(rate); }

  template <class P>
  void operator()(P& value, std::array<P, 1>& state, P gradient, bool decays) const {
    if (decays) gradient += P::broadcast(weight_decay) * value;
    state[0] = P::broadcast(momentum) * state[0] + gradient;
    value = value - P::broadcast(learning_rate) * state[0];
  }
};

}  // namespace

void SgdOptions::fields(Fields& f) {
  OptimizerOptions::fields(f);
  f.number("momentum", momentum, "Share of the previous step that is repeated, μ.",
           {.low = 0, .high = 1, .high_open = true});
}

std::unique_ptr<Optimizer> SgdOptions::build() const {
  return std::make_unique<RuleOptimizer<SgdRule>>(
      SgdRule{static_cast<float>(momentum), static_cast<float>(weight_decay)});
}

}  // namespace ultr
