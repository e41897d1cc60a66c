#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/line_reader.h"
#include "data/raw_log.h"

namespace ultr {

/// Splits at tabs, reusing the vector.
void split_at_tabs(std::string_view line, std::vector<std::string_view>& fields);

/// A whole number, all of the text. Throws DataError "<what> is '<text>'; expected a whole number"
/// (of the given range); the reader's loop puts the place in front.
std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high);
/// An id: a whole number from 0 to 2^64 - 1.
std::uint64_t parse_id(std::string_view text, std::string_view what);
/// "[1, 2, 3]", each number from low to high; "[]" is empty. Reuses the vector.
void parse_integer_list(std::string_view text, std::string_view what, std::int64_t low,
                        std::int64_t high, std::vector<std::int64_t>& numbers);

/// Calls `read(line)` for each line of a file that is not empty. What `read` throws as DataError
/// gets the place in front and ends the reading, or counts as malformed, as the rules say.
ReadReport for_each_line(const std::filesystem::path& file, const ReadRules& rules,
                         const std::function<void(std::string_view line)>& read);

/// Cuts or refuses lists of more than rules.max_positions documents. Returns whether it cut.
bool limit_length(RawList& list, const ReadRules& rules);

}  // namespace ultr
