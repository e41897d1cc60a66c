#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/log/shard.h"
#include "layers/logit_layer.h"

namespace ultr {

/// Returns the signal on which the entries of a domain depend; nothing for other domains.
std::optional<Signal> signal_of(Domain domain);

/// Number of entries of Domain::dwell.
inline constexpr std::int64_t dwell_classes = 12;
/// Returns the entry of a dwell time, 0 or seconds (see Inputs::index).
std::uint32_t dwell_class(std::uint16_t seconds);

/// Writes the entry of each document of a shard in the domain of a signal. Throws DataError if the
/// shard does not have the signal.
void find_signal_entries(const Shard& shard, Signal signal, std::vector<std::uint32_t>& entries);

}  // namespace ultr
