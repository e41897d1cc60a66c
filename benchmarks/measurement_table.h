#pragma once

#include <span>
#include <string>

#include "measurement.h"

namespace ultr::bench {

/// A Markdown table with a column for each number of rows: "11.0 (1.9)" is a value, and the limit's
/// over it; "-" is a value that there is none of. Lines come in the order of their first
/// measurements, those of one kind together.
std::string markdown_table(std::span<const Measurement> measurements);
/// The same as JSON: {"processors": ..., "measurements": [{"what": ..., ...}, ...]}.
std::string json_text(std::span<const Measurement> measurements);
/// A measurement as one line.
std::string line_of(const Measurement& measurement);

}  // namespace ultr::bench
