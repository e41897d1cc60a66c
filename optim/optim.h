#pragma once

/// The menu of optim/: what changes parameters, and how fast.
#include "optim/adagrad.h"    // Adagrad
#include "optim/adam.h"       // Adam, AdamW
#include "optim/optimizer.h"  // Optimizer: the interface; lazy and dense updates
#include "optim/schedule.h"   // constant, cosine and step learning-rate schedules
#include "optim/sgd.h"        // SGD with momentum

namespace ultr {

/// All types of optimizers, by the name they have in a configuration.
const std::vector<OptionType>& optimizer_types();

}  // namespace ultr
