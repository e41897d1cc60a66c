#include "optim/optimizer.h"

#include "optim/schedule.h"

namespace ultr {

void Optimizer::attach(std::span<Parameter* const> parameters) const {
  for (Parameter* parameter : parameters) parameter->attach_states(states());
}

OptimizerOptions::OptimizerOptions() : schedule(schedule_types(), "constant") {}

void OptimizerOptions::fields(Fields& f) {
  f.number("lr", learning_rate, "Learning rate; the schedule multiplies it.", above(0));
  f.number("weight_decay", weight_decay, weight_decay_help(), at_least(0));
  f.choice("schedule", schedule, "Schedule of the learning rate over training.");
  f.number("clip_norm", clip_norm,
           "Largest norm of a step's gradient over all parameters; 0: no clipping.", at_least(0));
  f.boolean("lazy", lazy,
            "Update only table rows that a step read, so that its cost does not depend on the "
            "table's size.");
}

}  // namespace ultr
