#pragma once

#include "optim/optimizer.h"

namespace ultr {

/// Stochastic gradient descent with momentum: b ← μ b + g, x ← x - η b, where g includes
/// `weight_decay` x (L2). Without momentum, b is g.
struct SgdOptions final : OptimizerOptions {
  double momentum = 0;

  SgdOptions() { learning_rate = 0.1; }
  void fields(Fields& f) override;
  std::unique_ptr<Optimizer> build() const override;
};

}  // namespace ultr
