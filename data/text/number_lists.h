#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ultr {

/// Moves tab-separated ids from the front of a text to `ids`, up to the first field that is not an
/// id. Returns true if all fields are ids. Faster than parsing field by field.
bool parse_ids(std::string_view& text, std::vector<std::uint64_t>& ids);
/// Parses tab-separated ids. The field at index `letter` is a single character instead, which is
/// returned; its entry in `ids` means nothing. It is 0 if the text is not like that. `ids`: empty.
char parse_ids_around_letter(std::string_view text, std::size_t letter,
                             std::vector<std::uint64_t>& ids);
/// Parses a list such as "[1, 2, 3]", each number from `low` to `high`; "[]" is empty. Reuses the
/// vector's memory. Throws DataError for any other text.
void parse_integer_list(std::string_view text, std::string_view what, std::int64_t low,
                        std::int64_t high, std::vector<std::int64_t>& numbers);

}  // namespace ultr
