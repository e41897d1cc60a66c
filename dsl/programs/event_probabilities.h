#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ultr {

/// The numbers to compute for an event at each document of a shard.
struct EventOutput {
  bool p = true, complement = true;
  bool likelihood = false;  // p where a click happened, its complement elsewhere

  bool has_any() const { return p || complement || likelihood; }
};

/// The probability of an event at each document of a shard, that of its complement, and that of
/// which of them happened, as far as the output has them.
struct EventProbabilities {
  EventOutput output{};
  std::vector<double> p{}, complement{}, likelihood{};

  void resize(std::size_t documents);
  /// Computes the likelihoods from the probabilities.
  void write_likelihoods(std::span<const std::uint8_t> happened, std::vector<double>& to) const;
};

}  // namespace ultr
