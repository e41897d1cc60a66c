#include "optim/adagrad.h"

#include <cmath>

#include <gtest/gtest.h>

#include "optim/reference_rule.h"

namespace ultr::adagrad_test {
namespace {

/// s ← s + g², x ← x - η g / (√s + ε), where g includes weight_decay x.
testing::ReferenceRule adagrad(double epsilon, double weight_decay) {
  return {1, [=](double& x, std::vector<double>& state, double g, const auto& step) {
            if (step.decays) g += weight_decay * x;
            state[0] += g * g;
            x -= step.learning_rate * g / (std::sqrt(state[0]) + epsilon);
          }};
}

TEST(AdagradTest, FollowsItsFormula) {
  for (const double epsilon : {AdagradOptions().epsilon, 0.1})
    for (const double weight_decay : {0.0, 0.02}) {
      SCOPED_TRACE("epsilon " + std::to_string(epsilon) + ", weight decay " +
                   std::to_string(weight_decay));
      AdagradOptions options;
      options.epsilon = epsilon;
      options.weight_decay = weight_decay;
      testing::expect_follows(options, adagrad(epsilon, weight_decay));
    }
}

}  // namespace
}  // namespace ultr::adagrad_test
