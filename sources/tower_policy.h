#pragma once

#include "data/simulation/logging_policy.h"

namespace ultr {

/// Returns the logging policy `tower`: a tower over the features (any layer of the table, which
/// must outlive the options), trained on the relevance of all training lists with a squared error,
/// so that its scores are on the scale of relevance (Hager, 2025, section 4.7). Training runs AdamW
/// on batches of lists for a fixed number of epochs.
OptionType tower_policy(const std::vector<OptionType>& layers);

}  // namespace ultr
