#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ultr {

/// Calls visit(rank, begin, count) for each run of documents at the same rank. Shards store
/// documents rank by rank, so that runs are long.
template <class Visit>
void for_each_rank_run(std::span<const std::uint32_t> ranks, Visit visit) {
  for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
    const std::uint32_t rank = ranks[begin];
    const auto are_here = [&](std::size_t count) {  // without branches, for whole registers
      std::uint32_t differences = 0;
      for (std::size_t i = 0; i < count; ++i) differences |= ranks[end + i] ^ rank;
      return differences == 0;
    };
    constexpr std::size_t many = 32;
    while (end + many <= ranks.size() && are_here(many)) end += many;
    while (end < ranks.size() && ranks[end] == rank) ++end;
    visit(rank, begin, end - begin);
  }
}

}  // namespace ultr
