#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/log/shard.h"

namespace ultr {

/// The requests of a process to the others: for the table rows of every document of some shards.
/// Documents are numbered from 0 through all shards. Query-document pair p is held by process p mod
/// n, as its pair p / n (RowPart).
class RowRequests {
 public:
  /// A pair and where it is held.
  struct Place {
    std::size_t process;
    std::uint32_t pair;  // its number there
  };

  /// `processes`: their number.
  explicit RowRequests(std::size_t processes) : processes_(processes) {}

  /// Replaces the requests by those of other shards.
  void set(std::span<const Shard> shards);

  std::size_t documents() const { return pairs_.size(); }
  /// Returns the documents of a shard: neighbouring numbers.
  std::span<const std::uint32_t> documents(std::size_t shard) const {
    return std::span(numbers_).subspan(first_[shard], first_[shard + 1] - first_[shard]);
  }
  /// Number of shards.
  std::size_t shards() const { return first_.size() - 1; }
  Place place_of(std::size_t document) const {
    return {pairs_[document] % processes_,
            pairs_[document] / static_cast<std::uint32_t>(processes_)};
  }

  /// Returns the documents, ascending, whose pairs a process holds.
  std::span<const std::uint32_t> documents_at(std::size_t process) const {
    return part(documents_, process, 0, shards());
  }
  /// Returns those of one shard.
  std::span<const std::uint32_t> documents_at(std::size_t process, std::size_t shard) const {
    return part(documents_, process, shard, shard + 1);
  }
  /// Returns how many of documents_at(process) are of shards before this one.
  std::size_t documents_before(std::size_t process, std::size_t shard) const {
    return begin(process, shard) - begin(process, 0);
  }
  /// Returns the pairs of documents_at(process), numbered as there.
  std::span<const std::uint32_t> pairs_at(std::size_t process) const {
    return part(held_pairs_, process, 0, shards());
  }

 private:
  std::size_t begin(std::size_t process, std::size_t shard) const {
    return begin_[process * shards() + shard];
  }
  std::span<const std::uint32_t> part(const std::vector<std::uint32_t>& list, std::size_t process,
                                      std::size_t first_shard, std::size_t last_shard) const {
    const std::size_t from = begin(process, first_shard);
    return std::span(list).subspan(from, begin(process, last_shard) - from);
  }

  std::size_t processes_;
  std::vector<std::uint32_t> pairs_;      // of the documents
  std::vector<std::uint32_t> numbers_;    // 0, 1, 2, ...
  std::vector<std::size_t> first_ = {0};  // document of each shard; last: the number of documents
  // The documents whose pairs the first process holds, shard by shard, then those of the second,
  // and so on; where those of each process and shard begin, and last, where all end.
  std::vector<std::uint32_t> documents_, held_pairs_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint8_t> owners_;         // per document: the low byte of who holds its pair
  std::vector<std::uint32_t> pair_numbers_;  // per document: that of its pair there
};

}  // namespace ultr
