#pragma once

#include "experiment/registry.h"

namespace ultr {

/// Returns the analysis `policy_estimation` (de Haan and Hager, CONSEQUENCES 2024, table 1). It
/// measures how well LambdaMART reproduces from features the order in which a log shows documents,
/// and how well the learned order ranks judged lists.
///
/// LambdaMART learns from up to `lists` training sessions, drawn by the seed. The document at the
/// k-th place has the label max(0, 11 - k), because XGBoost's labels are whole numbers; the paper
/// has 1/k. It then orders the test sessions, or the validation sessions if there are none.
///
///     accuracy    nDCG@10 of its order of these sessions, where the document at the k-th place has
///                 the gain 1/k; 1: the logged order
///     strength    nDCG@10, by labels, of its order of the judged test lists, if there are any
///
/// Each has `mean`, `lower` and `upper`, a 95% bootstrap interval over lists. `random` beside it is
/// the same of random orders: the average over all orders for `accuracy`, one order by the seed for
/// `strength`.
OptionType policy_estimation_type(const std::vector<OptionType>& data);

}  // namespace ultr
