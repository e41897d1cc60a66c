#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace ultr {

/// Receives the header of a file and its fields; throws DataError if they are not those expected.
using CheckPositionHeader =
    std::function<void(std::string_view line, std::span<const std::string_view> names)>;
/// Receives a row: its 0-based position and all of its fields, as many as the header has.
using TakePositionRow =
    std::function<void(std::size_t position, std::span<const std::string_view> fields)>;

/// Reads a CSV file with a header and one row per displayed position, in any order. The first field
/// of a row is its position, from 1 to 65536. Returns the largest position. Throws DataError with
/// file, line, what was found and what was expected if a row has another number of fields, a wrong
/// position or one that an earlier row has, and if the file has no row; `example` is a header that
/// would be right.
std::size_t read_position_rows(const std::filesystem::path& file, std::string_view example,
                               const CheckPositionHeader& check, const TakePositionRow& take);

}  // namespace ultr
