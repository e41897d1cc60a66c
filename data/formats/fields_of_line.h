#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "data/formats/line_reader.h"
#include "data/formats/raw_log.h"
#include "options/fields.h"

namespace ultr {

/// Splits at tabs, reusing the vector.
void split_at_tabs(std::string_view line, std::vector<std::string_view>& fields);

/// A whole number, all of the text. Throws DataError "<what> is '<text>'; expected a whole number"
/// (of the given range); the reader's loop puts the place in front.
std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high);
/// An id: a whole number from 0 to 2^64 - 1.
std::uint64_t parse_id(std::string_view text, std::string_view what);
/// Takes the fields that are ids, between tabs, off the front of a text, and appends the ids; true
/// if all fields are ids. Faster than field by field.
bool parse_ids(std::string_view& text, std::vector<std::uint64_t>& ids);
/// A decimal number, all of the text, within the limits; "nan" and "inf" are none. Throws DataError
/// "<what> is '<text>'; expected a number ...".
double parse_number(std::string_view text, std::string_view what, const Limits& limits = {});
/// "[1, 2, 3]", each number from low to high; "[]" is empty. Reuses the vector.
void parse_integer_list(std::string_view text, std::string_view what, std::int64_t low,
                        std::int64_t high, std::vector<std::int64_t>& numbers);

/// Calls `read` for each line of a file that is not empty, with its number, from 1. What it throws
/// as DataError gets the place in front and ends the reading, or counts as malformed, as the rules
/// say. The place is the line's, unless `read` sets the number to that of another line at fault.
ReadReport for_each_line(
    const std::filesystem::path& file, const ReadRules& rules,
    const std::function<void(std::string_view line, std::uint64_t& number)>& read);

/// Throws what is wrong with a line, with its place in front, or counts it in the report as
/// malformed, as the rules say.
void refuse_or_skip(const std::filesystem::path& file, std::uint64_t line, const DataError& error,
                    const ReadRules& rules, ReadReport& report);

/// Throws DataError if the report of a file counts no list.
void expect_lists(const std::filesystem::path& file, const ReadReport& report,
                  std::string_view expected);

/// Whether a list whose last document is displayed at position `last`, from 1, has to be cut.
/// Throws DataError if it is longer than the rules allow and they do not cut.
bool must_cut(std::size_t last, const ReadRules& rules);

}  // namespace ultr
