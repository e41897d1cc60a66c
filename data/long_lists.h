#pragma once

#include <cstdint>
#include <optional>

#include "data/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// What is done with long lists.
struct LongListOptions final : Options {
  std::optional<double> percentile;  // of the lengths of training lists, to which lists are cut

  void fields(Fields& f) override;
};

/// The length that at least `percentile` % of the lists do not exceed, and the smallest such one
/// (nearest rank). Throws DataError without lists, Error if it is not above 0 and at most 100.
std::size_t length_percentile(const FeatureLists& lists, double percentile);

/// Cuts every list to `most` documents, drawn at random so that the shares of its labels stay as
/// they are (by largest remainders; of equal ones, the larger label): stratified sampling, as Hager
/// et al. (ECIR 2023) limit lists. Without labels all documents are as likely. What is left keeps
/// its order. A list's draw depends on (seed, its number) alone. Throws Error if `most` is 0.
FeatureLists cut_long_lists(const FeatureLists& lists, std::size_t most, std::uint64_t seed);

}  // namespace ultr
