#pragma once

#include <optional>
#include <vector>

#include "analyses/document_sample.h"
#include "metrics/significance.h"

namespace ultr {

/// How well features predict the logged order: a strong policy that features explain ties relevance
/// to ranks, which is what confounds misspecified models (de Haan and Hager, CONSEQUENCES 2024,
/// section 3).
struct PolicyStrength {
  std::size_t queries = 0, lists = 0;  // of at least two documents
  /// nDCG@10 of the predicted order, a document at the k-th place of its list having the gain 1/k,
  /// a mean over queries of the mean over their lists; with a 95% interval of the bootstrap over
  /// queries. 1: the logged order.
  double ndcg = 0;
  ConfidenceInterval interval{};
  double random_ndcg = 0;  // what random orders come to on average
  /// For each document of the sample the predicted score, with mean 0 and deviation 1 in its list;
  /// NaN in a list of one, 0 if all are equal.
  std::vector<double> scores{};
};

/// LambdaMART (100 trees of 10 leaves, learning rate 0.1) with the labels of label_of_place,
/// cross-validated in 5 folds of whole queries, so that each list is predicted from other queries.
/// Nothing if all lists of at least two documents are of one fold, or there are none. Nothing
/// depends on `threads`.
std::optional<PolicyStrength> policy_strength(const Dataset& dataset, const DocumentSample& sample,
                                              std::uint64_t seed, int threads);

/// What LambdaMART learns a logged order from, whose labels are whole numbers, in place of the gain
/// 1/k: max(0, 11 - k) for the k-th place. place: 0-based, k - 1.
std::int32_t label_of_place(std::size_t place);
/// nDCG@10 of documents with the gain 1/k at the k-th place, ordered by falling scores, ties as
/// they stand. At least one score.
double logged_order_ndcg(std::span<const double> scores);
/// Its mean over all orders of so many documents, at least one.
double random_order_ndcg(std::size_t length);

}  // namespace ultr
