#include "optim/sgd.h"

#include <gtest/gtest.h>

#include "optim/reference_rule.h"

namespace ultr::sgd_test {
namespace {

/// b ← μ b + g, x ← x - η b, where g includes weight_decay x.
testing::ReferenceRule sgd(double momentum, double weight_decay) {
  return {1, [=](double& x, std::vector<double>& state, double g, const auto& step) {
            if (step.decays) g += weight_decay * x;
            state[0] = momentum * state[0] + g;
            x -= step.learning_rate * state[0];
          }};
}

TEST(SgdTest, FollowsItsFormula) {
  for (const double momentum : {0.0, 0.9})
    for (const double weight_decay : {0.0, 0.02}) {
      SCOPED_TRACE("momentum " + std::to_string(momentum) + ", weight decay " +
                   std::to_string(weight_decay));
      SgdOptions options;
      options.momentum = momentum;
      options.weight_decay = weight_decay;
      testing::expect_follows(options, sgd(momentum, weight_decay));
    }
}

}  // namespace
}  // namespace ultr::sgd_test
