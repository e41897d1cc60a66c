#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ultr {

/// The residual of a model's prediction of one click.
struct ClickResidual {
  std::size_t rank = 0;     // displayed rank of the document, 0-based
  std::uint64_t group = 0;  // residuals of one group, such as a query, are not independent
  double residual = 0;      // click, or click rate, minus the predicted probability
  /// The logging policy's score of the document, on any scale; NaN if unknown.
  double policy_score = std::numeric_limits<double>::quiet_NaN();
};

/// A number with its standard error, robust to dependence within groups. Both are NaN if there are
/// fewer than two groups or no variation.
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  double standard_error = std::numeric_limits<double>::quiet_NaN();

  /// The ends of the 95% interval: value ± 1.96 standard errors.
  double lower() const { return value - 1.96 * standard_error; }
  double upper() const { return value + 1.96 * standard_error; }
};

/// The correlation of residuals with the logging policy's order of documents. If they correlate,
/// the model is misspecified in a way that biases its estimates (Hager, 2025, lemma 2 of chapter
/// 4).
struct ResidualCorrelation {
  struct AtRank {
    std::size_t rank = 0;
    std::size_t residuals = 0;
    Estimate mean;         // of the residuals
    Estimate correlation;  // of residual and policy score, where the score is known
  };
  std::vector<AtRank> ranks;  // ranks with residuals, ascending
  /// The correlation of residual and rank. It is 0 on the training data of models with one
  /// parameter per rank.
  Estimate with_rank;
  /// The correlation of residual and policy score within ranks: the means of each rank are
  /// subtracted from both.
  Estimate with_score;

  /// Returns the rank whose correlation is the most standard errors from 0; null if no correlation
  /// is known.
  const AtRank* most_certain() const;
  /// True if residuals correlate with the policy's score. The condition is that with_score or the
  /// correlation at a rank differs from 0 by a two-sided normal test at the 5% level,
  /// Bonferroni-corrected for their number, and is at least 0.01 in size. In a large log, smaller
  /// correlations are significant but irrelevant.
  bool follows_policy() const;
};

/// Computes the correlations of residuals. Standard errors are those of sums over groups, times
/// sqrt(groups / (groups - 1)) (Liang and Zeger, Biometrika 1986). Those of correlations are valid
/// where the correlation is 0.
ResidualCorrelation correlate_residuals(std::span<const ClickResidual> residuals);

}  // namespace ultr
