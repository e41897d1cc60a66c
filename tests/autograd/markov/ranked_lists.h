#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "autograd/markov/forward_algorithm.h"
#include "autograd/tape/tape.h"

namespace ultr::testing {

/// Returns lists of which counts[k] have an element at rank k, the longest first, in the tape's own
/// memory.
inline RankedLists ranked_lists(Tape& tape, std::span<const std::int64_t> counts) {
  Arena& arena = tape.arena();
  const auto extents = [&] {
    return std::span(reinterpret_cast<Extent*>(arena.allocate(counts.size() * sizeof(Extent))),
                     counts.size());
  };
  const std::span begin = extents(), count = extents();
  std::int64_t elements = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    begin[k] = elements;
    count[k] = counts[k];
    elements += counts[k];
  }
  auto* const continues =
      reinterpret_cast<std::uint8_t*>(arena.allocate(static_cast<std::size_t>(elements)));
  std::uint8_t* next = continues;
  for (std::size_t k = 0; k < counts.size(); ++k)
    for (std::int64_t j = 0; j < counts[k]; ++j)
      *next++ = k + 1 < counts.size() && j < counts[k + 1] ? 1 : 0;
  const Mask mask = tape.mask(elements);
  tape.bind(mask, std::span<const std::uint8_t>(continues, next));
  return {begin, count, elements, mask};
}

/// Returns lists of n elements, half of which are the first of theirs, half of the others the
/// second, and so on.
inline RankedLists halving_lists(Tape& tape, std::int64_t n) {
  std::array<std::int64_t, 64> counts{};
  std::size_t ranks = 0;
  do {
    counts[ranks] = (n + 1) / 2;
    n -= counts[ranks++];
  } while (n > 0);
  return ranked_lists(tape, std::span(counts).first(ranks));
}

}  // namespace ultr::testing
