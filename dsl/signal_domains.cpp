#include "dsl/signal_domains.h"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {

std::optional<Signal> signal_of(Domain domain) {
  switch (domain) {
    case Domain::rank_viewed:
      return Signal::viewed;
    case Domain::rank_skipped:
      return Signal::skipped;
    case Domain::dwell:
      return Signal::dwell;
    default:
      return std::nullopt;
  }
}

std::uint32_t dwell_class(std::uint16_t seconds) {
  return std::min(static_cast<std::uint32_t>(std::bit_width(seconds)),
                  static_cast<std::uint32_t>(dwell_classes) - 1);
}

void find_signal_entries(const Shard& shard, Signal signal, std::vector<std::uint32_t>& entries) {
  const std::span<const std::uint16_t> observed = shard.signal(signal);
  if (observed.empty())
    throw DataError(
        fmt::format("the sessions have no {}, which the model reads", type_of(signal).plural));
  entries.resize(shard.documents());
  for (std::size_t k = 0; k < shard.longest(); ++k)
    for (std::size_t j = 0; j < shard.count(k); ++j) {
      const std::size_t at = shard.begin(k) + j;
      if (signal == Signal::dwell) {
        entries[at] = dwell_class(observed[at]);
        continue;
      }
      const bool above = k > 0 && observed[shard.begin(k - 1) + j] != 0;
      const bool is_set = signal == Signal::viewed ? observed[at] != 0 : above;
      entries[at] = 2 * shard.positions()[at] + (is_set ? 1 : 0);
    }
}

}  // namespace ultr
