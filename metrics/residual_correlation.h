#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ultr {

/// What a model's prediction of one click left over.
struct ClickResidual {
  std::size_t rank = 0;     // that the document was displayed at, 0-based
  std::uint64_t group = 0;  // residuals of one group, such as a query, are not independent
  double residual = 0;      // click, or click rate, minus the predicted probability
  /// How highly the logging policy ranks the document, by any scale; NaN: unknown.
  double policy_score = std::numeric_limits<double>::quiet_NaN();
};

/// A number with its standard error, robust to dependence within groups; NaN, both, if fewer than
/// two groups or no variation tell it.
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  double standard_error = std::numeric_limits<double>::quiet_NaN();

  /// The ends of the 95% interval: value ± 1.96 standard errors.
  double lower() const { return value - 1.96 * standard_error; }
  double upper() const { return value + 1.96 * standard_error; }
};

/// Do residuals go with where the logging policy puts documents? If so, the model is misspecified
/// in a way that biases its estimates (Hager, 2025, lemma 2 of chapter 4).
struct ResidualCorrelation {
  struct AtRank {
    std::size_t rank = 0;
    std::size_t residuals = 0;
    Estimate mean;         // of the residuals
    Estimate correlation;  // of residual and policy score, where that is known
  };
  std::vector<AtRank> ranks;  // that have residuals, rising
  /// The correlation of residual and rank. Models with a parameter for each rank have 0 where they
  /// were fitted.
  Estimate with_rank;
  /// The correlation of residual and policy score within ranks: means of ranks are taken off both.
  Estimate with_score;

  /// The rank whose correlation is most standard errors from 0; null if none is known.
  const AtRank* most_certain() const;
  /// Whether residuals go with the policy's score: with_score, or the correlation at a rank, is not
  /// 0 by a two-sided normal test at the level 5%, Bonferroni-corrected for their number, and at
  /// least 0.01, below which a large log shows what matters to nobody.
  bool follows_policy() const;
};

/// Standard errors are those of sums over groups, times sqrt(groups / (groups - 1)) (Liang and
/// Zeger, Biometrika 1986); those of correlations hold where the correlation is 0.
ResidualCorrelation correlate_residuals(std::span<const ClickResidual> residuals);

}  // namespace ultr
