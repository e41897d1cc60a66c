#pragma once

#include <cstdint>
#include <optional>

#include "data/features/feature_lists.h"
#include "options/fields.h"

namespace ultr {

/// Options for cutting long lists.
struct LongListOptions final : Options {
  std::optional<double> percentile;  // of training list lengths; longer lists are cut to it
  std::int64_t most_relevant = 0;    // number of documents that lists are cut to; 0: all

  void fields(Fields& f) override;
};

/// Returns the smallest length that at least `percentile` % of the lists do not exceed (nearest
/// rank). Throws DataError without lists, Error unless 0 < percentile <= 100.
std::size_t length_percentile(const FeatureLists& lists, double percentile);

/// Cuts every list to `most` documents by stratified sampling, as Hager et al. (ECIR 2023) do.
/// Documents are drawn at random so that the shares of labels stay the same, by largest remainders;
/// of equal remainders, the larger label gets the document. Without labels, all documents are
/// equally likely. The documents that stay keep their order. The draw for a list depends on (seed,
/// its number) alone. Throws Error if `most` is 0.
FeatureLists cut_long_lists(const FeatureLists& lists, std::size_t most, std::uint64_t seed);

/// Cuts every list to the `most` documents with the largest labels (thesis, section 4.7). Of equal
/// labels, the first stay. The documents that stay keep their order. Throws DataError if the lists
/// have no labels, Error if `most` is 0.
FeatureLists keep_most_relevant(const FeatureLists& lists, std::size_t most);

/// Returns the lists with a relevant document, one with a label above 0. Throws DataError if the
/// lists have no labels.
FeatureLists drop_lists_without_relevant(const FeatureLists& lists);

}  // namespace ultr
