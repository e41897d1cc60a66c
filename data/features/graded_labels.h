#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/fields.h"

namespace ultr {

/// The relevance of a document as estimated from clicks, with the evidence for it.
struct RelevanceEstimate {
  double relevance = 0;  // a probability
  double impressions = 0;
  /// The bounds of its 95% interval; NaN if they are not known.
  double lower = std::numeric_limits<double>::quiet_NaN(),
         upper = std::numeric_limits<double>::quiet_NaN();
};

/// Options for making labels of estimated relevance.
struct GradedLabelOptions final : Options {
  std::string by = "quantiles";
  std::string relevance = "estimate";
  std::int64_t grades = 5;
  std::vector<double> cuts;
  std::int64_t min_impressions = 10;

  void fields(Fields& f) override;
  /// Throws ConfigError, which names the options `section` + their names, unless there is one cut
  /// between any two grades, in increasing order and within the range of `by`.
  void check(const std::string& section) const;
  /// Returns the cuts, or their defaults, which depend on `by` (graded_labels).
  std::vector<double> cuts_or_default() const;
};

/// A label to train a ranker on.
struct GradedLabel {
  double label = 0;   // 0 to grades - 1
  double weight = 1;  // above 0 and at most 1
};

/// Returns the label of each document; nothing if it has fewer than `min_impressions`. Cuts 1, 2,
/// ... separate grade 0 from 1, 1 from 2, ... With y a cut's number and G = grades - 1:
///
///     by          label                                           default cuts
///     thresholds  cuts that relevance reaches                     (2^(y - 0.5) - 1) / (2^G - 1)
///     quantiles   cuts c such that relevance is above that of     1 - 2^-y
///                 the lowest share c of the labelled documents
///     expected    log2(1 + (2^G - 1) relevance), not rounded      none
///
/// An expected label has the expected gain 2^label - 1 if relevant documents have the gain 2^G - 1
/// and others 0; default thresholds are where it rounds to another grade. Documents with equal
/// relevance have equal labels.
///
/// With `relevance: lower`, relevance is the lower bound of its 95% interval, or its estimate less
/// 1.96 standard errors if there is none; with `relevance: shrunk`, it is w r + (1 - w) m, where r
/// is the estimate, m the mean of all labelled documents and w the document's weight.
///
/// A document's weight is v / (v + s^2), where v is the variance of relevance over all labelled
/// documents and s the document's standard_error: about 1 for one whose relevance is known well,
/// near 0 if little more than chance tells it from others.
std::vector<std::optional<GradedLabel>> graded_labels(std::span<const RelevanceEstimate> documents,
                                                      const GradedLabelOptions& options);

/// Returns the standard error of an estimate of relevance: that of a normal distribution with its
/// 95% interval or, if there is none, that of a share of its impressions after two more relevant
/// and two more irrelevant ones (Agresti and Coull, 1998).
double standard_error(const RelevanceEstimate& document);

/// Returns the numbers of the documents of each query, in increasing order; queries are in the
/// order of their first documents. `queries` has the query of each document.
std::vector<std::vector<std::size_t>> documents_by_query(std::span<const std::uint64_t> queries);

}  // namespace ultr
