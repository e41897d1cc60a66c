#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ultr {

/// Calls `work(length)`. Lengths from 1 to 25, which most lists have, are passed as a
/// std::integral_constant: the compiler then unrolls loops over a list, and copies need no function
/// call.
template <class Work>
void with_known_length(std::size_t length, const Work& work) {
  constexpr std::size_t longest_known = 25;
  const auto known = [&]<std::size_t... n>(std::index_sequence<n...>) {
    return ((length == n + 1 && (work(std::integral_constant<std::size_t, n + 1>{}), true)) || ...);
  };
  if (!known(std::make_index_sequence<longest_known>{})) work(length);
}

}  // namespace ultr
