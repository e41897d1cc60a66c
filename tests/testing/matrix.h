#pragma once

#include <vector>

namespace ultr::testing {

using Matrix = std::vector<std::vector<double>>;

/// Returns true if a symmetric matrix has no eigenvalue below -`tolerance`: if the matrix plus
/// `tolerance` on the diagonal has positive pivots.
inline bool is_semidefinite(Matrix matrix, double tolerance) {
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i][i] += tolerance;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (!(matrix[i][i] > 0)) return false;
    for (std::size_t j = i + 1; j < matrix.size(); ++j) {
      const double factor = matrix[j][i] / matrix[i][i];
      for (std::size_t k = i; k < matrix.size(); ++k) matrix[j][k] -= factor * matrix[i][k];
    }
  }
  return true;
}

}  // namespace ultr::testing
