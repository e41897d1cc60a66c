#include "optim/adam.h"

#include <cmath>

#include <gtest/gtest.h>

#include "optim/reference_rule.h"

namespace ultr::adam_test {
namespace {

/// m ← β1 m + (1-β1) g, v ← β2 v + (1-β2) g², x ← x - η m̂ / (√v̂ + ε), m̂ = m/(1-β1^t), v̂ likewise.
void adam(const AdamOptions& o, double& x, std::vector<double>& state, double g,
          const testing::ReferenceRule::Step& step) {
  state[0] = o.beta1 * state[0] + (1 - o.beta1) * g;
  state[1] = o.beta2 * state[1] + (1 - o.beta2) * g * g;
  const double m = state[0] / (1 - std::pow(o.beta1, step.number));
  const double v = state[1] / (1 - std::pow(o.beta2, step.number));
  x -= step.learning_rate * m / (std::sqrt(v) + o.epsilon);
}

template <class Options>
std::vector<Options> settings() {
  std::vector<Options> all;
  for (const double weight_decay : {0.0, 0.05})
    for (const double epsilon : {1e-8, 0.1}) {
      Options& options = all.emplace_back();
      options.learning_rate = 0.01;
      options.weight_decay = weight_decay;
      options.epsilon = epsilon;
    }
  Options& quick = all.emplace_back();
  quick.beta1 = 0.5;
  quick.beta2 = 0.9;
  return all;
}

TEST(AdamTest, FollowsItsFormulaWithL2) {
  for (const AdamOptions& o : settings<AdamOptions>())
    testing::expect_follows(
        o, {2, [&](double& x, std::vector<double>& state, double g, const auto& step) {
              adam(o, x, state, step.decays ? g + o.weight_decay * x : g, step);
            }});
}

TEST(AdamWTest, FollowsItsFormulaWithDecoupledDecay) {
  for (const AdamWOptions& o : settings<AdamWOptions>())
    testing::expect_follows(
        o, {2, [&](double& x, std::vector<double>& state, double g, const auto& step) {
              if (step.decays) x -= step.learning_rate * o.weight_decay * x;
              adam(o, x, state, g, step);
            }});
}

TEST(AdamWTest, DecaysByDefaultAndAdamDoesNot) {
  EXPECT_EQ(AdamWOptions().weight_decay, 1e-4);
  EXPECT_EQ(AdamOptions().weight_decay, 0);
}

}  // namespace
}  // namespace ultr::adam_test
