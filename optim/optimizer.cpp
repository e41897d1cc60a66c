#include "optim/optimizer.h"

namespace ultr {

void Optimizer::attach(std::span<Parameter* const> parameters) const {
  for (Parameter* parameter : parameters) parameter->attach_states(states());
}

void OptimizerOptions::learning_rate_field(Fields& f) {
  f.number("lr", learning_rate, "Learning rate; the schedule multiplies it.", above(0));
}

}  // namespace ultr
