#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "data/text/line_reader.h"
#include "data/text/raw_log.h"
#include "options/fields.h"

namespace ultr {

/// Splits a line at tabs. Reuses the vector's memory.
void split_at_tabs(std::string_view line, std::vector<std::string_view>& fields);

/// Parses all of a text as an integer from `low` to `high`. Throws DataError "<what> is '<text>';
/// expected a whole number from <low> to <high>"; the reader's loop puts file and line in front.
std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high);
/// Parses an id, an integer from 0 to 2^64 - 1. Throws DataError likewise.
std::uint64_t parse_id(std::string_view text, std::string_view what);
/// Parses all of a text as a decimal number within the limits; "nan" and "inf" are refused. Throws
/// DataError "<what> is '<text>'; expected a number ...".
double parse_number(std::string_view text, std::string_view what, const Limits& limits = {});
/// Parses a probability with which a logging policy chose, above 0 and at most 1. Throws DataError
/// likewise, also if it is 0 in float32.
float parse_propensity(std::string_view text, std::string_view what);
/// Returns true if a text stands for a missing number: it is empty, or nan in any case of letters.
bool is_missing_number(std::string_view text);

/// A DataError whose message names the place: readers do not put file and line in front of it, and
/// never skip it.
class LocatedError final : public DataError {
 public:
  using DataError::DataError;
};

/// Calls `read` with each nonempty line of a file and its number, from 1. A DataError that `read`
/// throws goes to reject_or_skip. Throws DataError if the file cannot be read.
ReadReport for_each_line(
    const std::filesystem::path& file, const ReadRules& rules,
    const std::function<void(std::string_view line, std::uint64_t number)>& read);

/// Calls `read` likewise with lines that are split at tabs, and whose fields are parsed as numbers.
ReadReport for_each_split_line(
    const std::filesystem::path& file, const ReadRules& rules,
    const std::function<void(SplitLine& line, std::uint64_t number)>& read);

/// Throws `error` with file and line in front or, if rules.skip_malformed, counts the line as
/// malformed in the report. To be called where `error` is caught; a LocatedError is thrown again.
void reject_or_skip(const std::filesystem::path& file, std::uint64_t line, const DataError& error,
                    const ReadRules& rules, ReadReport& report);

/// Throws DataError if the report of a file counts no list; `expected` says what the file should
/// have.
void expect_lists(const std::filesystem::path& file, const ReadReport& report,
                  std::string_view expected);

/// Returns true if a list whose last document is displayed at position `last`, from 1, must be cut.
/// Throws DataError if the list is longer than the rules allow and they do not cut it.
bool needs_truncation(std::size_t last, const ReadRules& rules);

}  // namespace ultr
