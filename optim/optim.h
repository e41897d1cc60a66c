#pragma once

/// Menu of optim/: the ways to fit parameters, and learning-rate schedules.
#include "optim/adagrad.h"    // Adagrad
#include "optim/adam.h"       // Adam, AdamW
#include "optim/coins.h"      // expectation maximisation; counting
#include "optim/optimizer.h"  // Optimizer: the interface; lazy and dense updates
#include "optim/schedule.h"   // constant, cosine and step learning-rate schedules
#include "optim/sgd.h"        // SGD with momentum

namespace ultr {

/// All ways to fit parameters, with their names in a configuration. Their options are FitOptions.
const std::vector<OptionType>& optimizer_types();

}  // namespace ultr
