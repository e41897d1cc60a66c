#pragma once

#include "autograd/gradient_check.h"
#include "data/log/shard.h"
#include "dsl/programs/click_program.h"

namespace ultr {

/// The largest number of entries of a tower's weights that a check perturbs.
inline constexpr std::size_t most_checked_entries = 100;

/// Returns true if a layer of the model reads the words of documents. Each difference then runs a
/// whole encoder, so a check should be of few lists and entries.
bool reads_words(const TrainableModel& model);

/// Checks the gradient of a model's training loss on a shard, with one draw of its noise, against
/// central differences in float64. The check perturbs every parameter entry that the shard touches;
/// of dense parameters and of tables of words with more than `most_entries` such entries, that many
/// at even distances. Tables are not copied: only the rows that the shard reads are copied to an
/// overlay and perturbed there. Values behind stop_gradient are held constant. Restores the model.
GradientReport check_model_gradient(const TrainableModel& model, const Shard& shard,
                                    LossMean mean = LossMean::documents,
                                    std::size_t most_entries = most_checked_entries);

}  // namespace ultr
