#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ultr {

/// A hidden variable of sampled sessions: the outcome of its coin for each document, in the shard's
/// order, or `not_tossed` where the user never came to toss it, for example after leaving.
struct LatentVariable {
  static constexpr std::uint8_t not_tossed = 255;
  std::string name;
  std::vector<std::uint8_t> values;
};

}  // namespace ultr
