#pragma once

#include <optional>
#include <string>

namespace ultr::bench {

/// Sessions a second of the hand-fused program on the same step (one thread), measured in this run,
/// when first asked for, on the same core. Nothing if $ULTR_LIMIT does not name the program or it
/// does not know the model.
std::optional<double> limit_sessions_per_second(const std::string& model, std::int64_t rows,
                                                std::int64_t batch);

}  // namespace ultr::bench
