#pragma once

#include "options/fields.h"

namespace ultr {

/// The analysis `loss_landscape`: the loss of documents that share one relevance estimate, over all
/// values of the estimate: where its minimum lies, and how steep it is (Hager et al., ECIR 2023,
/// figures 1 and 3).
///
/// Documents have the click rates o y of infinitely many sessions, o their examination and y their
/// relevance, and losses know o. Results: `estimate` and `loss`, lists; `minimum`, the estimate
/// with the smallest loss, and that `smallest_loss`; `range`, the largest loss of those listed
/// minus the smallest; and `mean_relevance` of the documents. Losses are means over documents.
OptionType loss_landscape_type();

}  // namespace ultr
