#pragma once

#include "dsl/programs/event_probabilities.h"
#include "dsl/programs/number_packs.h"

namespace ultr {

/// Stores what an event's output has of documents `at` and following: of all lanes, or of the first
/// `count`. `happened` are the lanes of the documents where it happened.
template <class T, class... Count>
void store_event(Pack<T> p, Pack<T> complement, Lanes<T> happened, EventProbabilities& event,
                 std::size_t at, Count... count) {
  if (event.output.p) store_doubles(doubles_of(p), event.p.data() + at, count...);
  if (event.output.complement)
    store_doubles(doubles_of(complement), event.complement.data() + at, count...);
  if (!event.output.likelihood) return;
  auto likelihood = doubles_of(where(happened, p, complement));
  const auto other = doubles_of(where(happened, complement, p));
  for (std::size_t i = 0; i < likelihood.size(); ++i)
    likelihood[i] = exact_p(likelihood[i], other[i]);
  store_doubles(likelihood, event.likelihood.data() + at, count...);
}
template <class T, std::size_t n, class... Count>
void store_event(const PackGroup<T, n>& p, const PackGroup<T, n>& complement,
                 const LaneGroup<T, n>& happened, EventProbabilities& event, std::size_t at,
                 Count... count) {
  for (std::size_t i = 0; i < n; ++i, at += Pack<T>::size)
    if constexpr (sizeof...(count) == 0)
      store_event(p.of[i], complement.of[i], happened.of[i], event, at);
    else if (const std::size_t lanes = lanes_of_pack<T>(i, count...); lanes > 0)
      store_event(p.of[i], complement.of[i], happened.of[i], event, at, lanes);
}

}  // namespace ultr
