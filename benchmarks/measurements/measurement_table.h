#pragma once

#include <span>
#include <string>

#include "measurements/measurement.h"

namespace ultr::bench {

/// Writes measurements as a Markdown table with one column per number of rows. "11.0 (1.9)" is a
/// value, and the limit's value divided by it; "-" is a missing value. Lines come in the order of
/// their first measurements, those of one kind together.
std::string markdown_table(std::span<const Measurement> measurements);
/// Writes measurements as JSON: {"processors": ..., "measurements": [{"what": ..., ...}, ...]}.
std::string json_text(std::span<const Measurement> measurements);
/// Writes a measurement as one line.
std::string line_of(const Measurement& measurement);

}  // namespace ultr::bench
