#pragma once

#include "autograd/gradient_check.h"
#include "data/log/shard.h"
#include "models/click_program.h"

namespace ultr {

/// Entries of a tower's weights that a check perturbs at most.
inline constexpr std::size_t most_checked_entries = 100;

/// Checks the gradient of a model's training loss on a shard (with one draw of its noise), in
/// float64, against central differences, for every parameter entry that the shard touches; of
/// parameters with more than most_checked_entries for as many at even distances. Tables
/// are not copied: only the rows that the shard reads are, to an overlay, and perturbed there. What
/// passes through stop_gradient is held constant. Restores the model.
GradientReport check_model_gradient(const TrainableModel& model, const Shard& shard,
                                    LossMean mean = LossMean::documents);

}  // namespace ultr
