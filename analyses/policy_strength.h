#pragma once

#include <optional>
#include <vector>

#include "analyses/document_sample.h"
#include "metrics/significance.h"

namespace ultr {

/// The strength of a logging policy: how well features predict the logged order. A strong policy
/// that features explain ties relevance to ranks, which is what confounds misspecified models (de
/// Haan and Hager, CONSEQUENCES 2024, section 3).
struct PolicyStrength {
  std::size_t queries = 0, lists = 0;  // with at least two documents
  /// nDCG@10 of the predicted order, where the document at the k-th place of its list has the gain
  /// 1/k. A mean over queries of the mean over their lists, with a 95% bootstrap interval over
  /// queries. 1: the logged order.
  double ndcg = 0;
  ConfidenceInterval interval{};
  double random_ndcg = 0;  // mean nDCG@10 of random orders
  /// Predicted score of each document of the sample, scaled to mean 0 and deviation 1 in its list.
  /// NaN in a list of one document, 0 if all scores of the list are equal.
  std::vector<double> scores{};
};

/// Predicts the logged order by LambdaMART (100 trees of 10 leaves, learning rate 0.1) on the
/// labels of label_of_place. It is cross-validated in 5 folds of whole queries, so that each list
/// is predicted from other queries. Returns nothing if there are no lists of at least two
/// documents, or all of them are in one fold. The result does not depend on `threads`.
std::optional<PolicyStrength> policy_strength(const Dataset& dataset, const DocumentSample& sample,
                                              std::uint64_t seed, int threads);

/// Returns the label from which LambdaMART, whose labels are whole numbers, learns a logged order
/// in place of the gain 1/k: max(0, 11 - k) for the k-th place. place: 0-based, k - 1.
std::int32_t label_of_place(std::size_t place);
/// Returns nDCG@10 of documents with the gain 1/k at the k-th place, ordered by falling scores;
/// ties keep their order. At least one score.
double logged_order_ndcg(std::span<const double> scores);
/// Returns the mean of logged_order_ndcg over all orders of `length` documents, at least one.
double random_order_ndcg(std::size_t length);

}  // namespace ultr
