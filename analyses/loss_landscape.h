#pragma once

#include "options/fields.h"

namespace ultr {

/// Returns the analysis `loss_landscape`: the loss of documents that share one relevance estimate,
/// as a function of the estimate (Hager et al., ECIR 2023, figures 1 and 3).
///
/// A document has the click rate o y of infinitely many sessions, where o is its examination and y
/// its relevance; losses know o. Losses are means over documents.
///
///     estimate, loss    lists of equal length
///     minimum           the estimate with the smallest loss
///     smallest_loss     the loss at the minimum
///     range             the largest listed loss minus the smallest
///     mean_relevance    of the documents
OptionType loss_landscape_type();

}  // namespace ultr
