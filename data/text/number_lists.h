#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ultr {

/// Parses a list such as "[1, 2, 3]", each number from `low` to `high`; "[]" is empty. Reuses the
/// vector's memory. Throws DataError for any other text.
void parse_integer_list(std::string_view text, std::string_view what, std::int64_t low,
                        std::int64_t high, std::vector<std::int64_t>& numbers);

}  // namespace ultr
