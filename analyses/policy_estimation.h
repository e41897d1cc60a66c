#pragma once

#include "experiment/registry.h"

namespace ultr {

/// The analysis `policy_estimation` (de Haan and Hager, CONSEQUENCES 2024, table 1): how well
/// LambdaMART reproduces the order in which a log shows documents, from their features, and how
/// well what it learned ranks judged lists. It learns from up to `lists` training sessions of the
/// data, drawn by the seed, with the labels max(0, 11 - k) for the document at the k-th place
/// (XGBoost's labels are whole numbers; the paper has 1/k), and orders the test sessions
/// (validation sessions if there are none).
///
///     accuracy    nDCG@10 of its order of these sessions, where the document at the k-th place has
///                 the gain 1/k; 1: the logged order
///     strength    nDCG@10, by labels, of its order of the judged test lists, if there are any
///
/// Beside each, `random`: what random orders come to, on average over all orders for the first and
/// in one order by the seed for the second. All with 95% bootstrap intervals over lists: `mean`,
/// `lower` and `upper`.
OptionType policy_estimation_type(const std::vector<OptionType>& data);

}  // namespace ultr
