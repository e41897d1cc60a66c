#pragma once

#include "optim/optimizer.h"

namespace ultr {

/// Adagrad (Duchi et al., 2011): s ← s + g², x ← x - η g / (√s + ε), where g includes
/// `weight_decay` x (L2).
struct AdagradOptions final : OptimizerOptions {
  double epsilon = 1e-10;

  AdagradOptions() { learning_rate = 0.1; }
  void fields(Fields& f) override;
  std::unique_ptr<Optimizer> build() const override;
};

}  // namespace ultr
