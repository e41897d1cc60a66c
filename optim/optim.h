#pragma once

/// The menu of optim/: what changes parameters, and how fast.
#include "optim/adagrad.h"    // Adagrad
#include "optim/adam.h"       // Adam, AdamW
#include "optim/counting.h"   // counting, of sessions that end with their last click
#include "optim/em.h"         // expectation maximisation
#include "optim/optimizer.h"  // Optimizer: the interface; lazy and dense updates
#include "optim/schedule.h"   // constant, cosine and step learning-rate schedules
#include "optim/sgd.h"        // SGD with momentum

namespace ultr {

/// All ways to fit parameters, by the name they have in a configuration; their options are
/// FitOptions.
const std::vector<OptionType>& optimizer_types();

}  // namespace ultr
