#pragma once

#include <cstdint>

namespace ultr {

/// Mixes the bits of a number so that each of them depends on all: the last step of splitmix64.
/// Different numbers stay different.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace ultr
