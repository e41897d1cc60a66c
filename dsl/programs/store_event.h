#pragma once

#include <algorithm>
#include <span>

#include "dsl/programs/event_probabilities.h"
#include "dsl/programs/number_packs.h"

namespace ultr {

/// Stores exact_p of all lanes, or of the first `count`.
template <class N, class... Count>
void store_exact_p(Pack<N> p, Pack<N> complement, double* to, Count... count) {
  double lanes_p[Pack<N>::size], lanes_complement[Pack<N>::size], exact[Pack<N>::size];
  store_doubles(p, lanes_p);
  store_doubles(complement, lanes_complement);
  for (std::size_t i = 0; i < Pack<N>::size; i += Pack<double>::size)
    exact_p(Pack<double>::load(lanes_p + i), Pack<double>::load(lanes_complement + i))
        .store(exact + i);
  std::copy_n(exact, sizeof...(count) == 0 ? Pack<N>::size : (count + ... + 0), to);
}

/// Stores what an event's output has of documents `at` and following: of all lanes, or of the first
/// `count`. `happened` has a number per document of the shard.
template <class N, class... Count>
void store_event(Pack<N> p, Pack<N> complement, std::span<const std::uint8_t> happened,
                 EventProbabilities& event, std::size_t at, Count... count) {
  if (event.output.p) store_doubles(p, event.p.data() + at, count...);
  if (event.output.complement) store_doubles(complement, event.complement.data() + at, count...);
  if (!event.output.likelihood) return;
  const auto yes = load_mask<N>(happened.data() + at, count...);
  store_exact_p(where(yes, p, complement), where(yes, complement, p), event.likelihood.data() + at,
                count...);
}

}  // namespace ultr
