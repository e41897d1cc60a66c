#pragma once

#include <cstdint>
#include <optional>

#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// What is done with long lists.
struct LongListOptions final : Options {
  std::optional<double> percentile;  // of the lengths of training lists, to which lists are cut
  std::int64_t most_relevant = 0;    // documents that lists are cut to; 0: all

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

/// Cuts every list to the `most` documents with the largest labels; of equal ones, the first stay.
/// What is left keeps its order (thesis, section 4.7). Throws DataError if the lists have no
/// labels, Error if `most` is 0.
FeatureLists keep_most_relevant(const FeatureLists& lists, std::size_t most);

/// The lists with a relevant document, one with a label above 0. Throws DataError if the lists have
/// no labels.
FeatureLists drop_lists_without_relevant(const FeatureLists& lists);

}  // namespace ultr
