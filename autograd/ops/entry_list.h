#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "autograd/tape/tape.h"
#include "kernels/bits.h"

/// Lists of the entries that meet a node's demand. Only for code that defines ops.
namespace ultr {

/// Number of entries whose conditions are checked at once.
inline constexpr std::size_t entries_per_mask = 64;

/// Allocates a list for entries of `all` on the tape's arena, with room for their rows if
/// `with_rows`.
inline EntryList* make_entry_list(Tape& tape, Extent all, bool with_rows) {
  const auto indices = [&] {
    // list_ones may write beyond the last entry.
    const auto size = static_cast<std::size_t>(all.capacity()) + entries_per_mask;
    return reinterpret_cast<std::uint32_t*>(tape.arena().allocate(size * sizeof(std::uint32_t)));
  };
  return tape.arena().create(
      EntryList{indices(), with_rows ? indices() : nullptr, all, tape.extent(all.capacity())});
}

/// Returns the values of a mask that is known. A slice is evaluated first, because it may be
/// recorded after the node that needs it.
inline const std::uint8_t* mask_values(Tape& tape, NodeId id) {
  Node& mask = tape.node(id);
  if (mask.is_view()) {
    mask_values(tape, mask.inputs[0]);
    mask.kernel->forward(tape, mask);
  }
  return reinterpret_cast<const std::uint8_t*>(mask.value);
}

/// Lists those of `size` entries that meet all conditions of the node's demand, binds
/// EntryList::listed to their number, and returns them.
inline std::span<const std::uint32_t> list_entries(Tape& tape, const Node& node, std::size_t size) {
  constexpr std::size_t block = entries_per_mask;
  const EntryList& list = *node.entries;
  const std::span conditions = node.demand.all();
  std::array<const std::uint8_t*, Demand::most> masks;
  for (std::size_t c = 0; c < conditions.size(); ++c)
    masks[c] = mask_values(tape, conditions[c].mask);
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < size; begin += block) {
    const std::size_t rest = std::min(block, size - begin);
    std::uint64_t wanted = ~std::uint64_t{0} >> (block - rest);
    for (std::size_t c = 0; c < conditions.size(); ++c) {
      std::array<std::uint8_t, block> last{};
      const std::uint8_t* mask = masks[c] + begin;
      if (rest < block) {
        std::copy_n(mask, rest, last.begin());
        mask = last.data();
      }
      wanted &= conditions[c].value ? ~bits_equal_to(0, mask) : bits_equal_to(0, mask);
    }
    count += list_ones(wanted, static_cast<std::uint32_t>(begin), list.entries + count);
  }
  tape.bind(list.listed, static_cast<std::int64_t>(count));
  return {list.entries, count};
}

}  // namespace ultr
