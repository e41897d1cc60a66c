#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "autograd/tape/tape.h"

namespace ultr {
namespace detail {

template <class Function>
void map_index_forward(Tape& tape, Node& node) {
  const Function function = *static_cast<const Function*>(node.closure);
  const auto* from = reinterpret_cast<const std::uint32_t*>(tape.input_of(node, 0).value);
  auto* to = reinterpret_cast<std::uint32_t*>(node.value);
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  for (std::size_t i = 0; i < n; ++i) to[i] = function(from[i]);
}

template <class Function>
inline constexpr Kernels map_index_kernels = {
    {map_index_forward<Function>, nullptr, demand_same_rows},
    {map_index_forward<Function>, nullptr, demand_same_rows}};

}  // namespace detail

/// Returns the index with entries function(entries[i]), computed in each run. The function maps
/// std::uint32_t to std::uint32_t. It must be pure and small: the tape keeps a copy and never
/// destroys it.
template <class Function>
Index map_index(std::string_view name, Index entries, Function function) {
  static_assert(std::is_trivially_copyable_v<Function>);
  Tape& tape = *entries.tape;
  const auto recorded = tape.record(name, NodeKind::index, tape.node(entries.node).shape,
                                    &detail::map_index_kernels<Function>, std::array{entries.node});
  recorded.node.closure = tape.arena().create(function);
  return {&tape, recorded.id};
}

}  // namespace ultr
