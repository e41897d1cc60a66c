#pragma once

#include <filesystem>
#include <vector>

namespace ultr {

/// Click rates that are affine in relevance: P(click at position k) = α_k γ + β_k for a document
/// that is relevant with probability γ (Vardasbi et al., CIKM 2020). By 0-based position; NaN where
/// unknown, and both 0 where nobody looks.
struct AffineBias {
  std::vector<double> alpha, beta;
};

/// Reads a CSV file with the columns `position`, `alpha` and `beta`. Each row has a position, from
/// 1 to 65536 and in any order, α above 0 and β at least 0, or both 0; α + β is at most 1.
/// Positions without a row are unknown. Throws DataError with file, line, what was found and what
/// was expected for anything else.
AffineBias read_affine_bias(const std::filesystem::path& file);

}  // namespace ultr
