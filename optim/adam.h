#pragma once

#include "optim/optimizer.h"

namespace ultr {

/// Adam (Kingma & Ba, 2015): m ← β1 m + (1-β1) g, v ← β2 v + (1-β2) g², x ← x - η m̂ / (√v̂ + ε),
/// where m̂ = m/(1-β1^t), v̂ = v/(1-β2^t), t is the number of steps so far, and g includes
/// `weight_decay` x (L2).
struct AdamOptions : OptimizerOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  void fields(Fields& f) override;
  std::unique_ptr<Optimizer> build() const override;
};

/// AdamW (Loshchilov & Hutter, 2019): Adam that first sets x ← x - η `weight_decay` x, in place of
/// L2.
struct AdamWOptions final : AdamOptions {
  AdamWOptions() { weight_decay = 1e-4; }
  std::unique_ptr<Optimizer> build() const override;

 private:
  std::string_view weight_decay_help() const override;
};

}  // namespace ultr
