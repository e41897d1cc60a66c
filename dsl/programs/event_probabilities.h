#pragma once

#include <vector>

namespace ultr {

/// The probability of an event at each document of a shard, and that of its complement.
struct EventProbabilities {
  std::vector<double> p, complement;
};

}  // namespace ultr
