#pragma once

#include <cstddef>
#include <cstdint>

#include <fmt/core.h>

#include "autograd/tape.h"
#include "base/error.h"

/// The check of segment offsets that all segmented ops share.
namespace ultr::detail {

/// Returns the offsets of an op whose input 0 is a vector and whose input 1 has the offsets of
/// `count` segments. Throws ShapeError if they do not cover the vector in order.
inline const std::uint32_t* checked_offsets(Tape& tape, const Node& node, Extent count) {
  const auto* offsets = reinterpret_cast<const std::uint32_t*>(tape.input_of(node, 1).value);
  const std::int64_t given = tape.size_of(tape.input_of(node, 1).shape);
  const std::int64_t segments = tape.size_of(count);
  if (given != segments + 1)
    throw ShapeError(fmt::format("{}: {} offsets for {} segments; expected {}", node.name, given,
                                 segments, segments + 1));
  const std::int64_t n = tape.size_of(tape.input_of(node, 0).shape);
  if (offsets[0] != 0 || offsets[segments] != n)
    throw ShapeError(fmt::format("{}: offsets go from {} to {}; expected 0 to {}", node.name,
                                 offsets[0], offsets[segments], n));
  for (std::int64_t i = 0; i < segments; ++i)
    if (offsets[i + 1] < offsets[i])
      throw ShapeError(fmt::format("{}: segment {} goes from {} to {}", node.name, i, offsets[i],
                                   offsets[i + 1]));
  return offsets;
}

}  // namespace ultr::detail
