#pragma once

#include <cstddef>
#include <span>

namespace ultr {

/// Options for estimating mutual information from a sample.
struct MutualInformationOptions {
  std::size_t neighbours = 5;  // k
  std::size_t most = 2000;     // points, at even distances, that a larger sample is reduced to
};

/// Estimates the mutual information of two numbers from a sample of n pairs, in nats: the mean of
///
///     ψ(k_i) + ψ(n) - ψ(x_i) - ψ(y_i)
///
/// over the points i (Kraskov et al., Physical Review E 2004). The distance of two points is the
/// larger of the differences in x and in y, which ranks replace: information does not depend on
/// scales. k_i, x_i and y_i count the points that are nearer to i than its k-th neighbour, in both
/// numbers, in x and in y, with i itself; if the k-th neighbour equals i, those that equal i (as
/// Gao et al., NeurIPS 2017, count them). Numbers may thus be continuous, discrete or both. 0 for
/// independent numbers, around which estimates scatter; NaN for fewer than k + 1 points. Throws
/// Error if the lengths differ or an element is NaN.
double mutual_information(std::span<const double> x, std::span<const double> y,
                          const MutualInformationOptions& options = {});

/// Estimates the mutual information of two numbers given a label: the mean over points of
/// mutual_information among those with their label. Labels with fewer than k + 1 points do not
/// count; NaN if none counts.
///
/// With the relevance that a click model predicts as x and the scores of the logging policy as y,
/// this is the dependence on the logging policy that is not explained by the true relevance, CMIP
/// (Deffayet et al., SIGIR 2023): 0 for a model that is debiased.
double conditional_mutual_information(std::span<const double> x, std::span<const double> y,
                                      std::span<const int> labels,
                                      const MutualInformationOptions& options = {});

}  // namespace ultr
